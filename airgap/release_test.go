package airgap_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestPushRelease pushes and renames: the file appears once all that it names can be pulled, and
// not before.
func TestPushRelease(t *testing.T) {
	b, r := bundletest.Whole(t, 1000), registrytest.Serve(t)
	dir := t.TempDir()
	o := bundletest.To(r)
	o.Release, o.Out = filepath.Join(dir, "release.yaml"), filepath.Join(dir, "renamed.yaml")
	var src strings.Builder
	for n, i := range b.Contents().Images {
		fmt.Fprintf(&src, "---\n# %d\napiVersion: v1\nkind: ConfigMap\ndata:\n  image: %s\n", n, i.Reference())
	}
	write := func(s string) {
		if err := os.WriteFile(o.Release, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	absent := func() {
		t.Helper()
		if files, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(files) != 1 {
			t.Errorf("there are %v", files)
		}
	}

	write(src.String() + "---\nimage: elsewhere.example/x:1\n")
	_, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	bundletest.Says(t, err, o.Release+":", "elsewhere.example/x:1 is not in the bundle")
	if calls, _ := r.Reset(); len(calls) != 0 {
		t.Errorf("the registry was asked %v", calls)
	}
	absent()

	// A registry that forgets what it took, once it has the tag.
	write(src.String())
	agent := b.Contents().Images[0].Digest().String()
	r.Reset()
	var tagged atomic.Bool
	r.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodPut && strings.HasSuffix(q.URL.Path, "/agent/manifests/1.2.3") {
			tagged.Store(true)
		}
		if !tagged.Load() || !strings.HasSuffix(q.URL.Path, "/agent/manifests/"+agent) {
			return false
		}
		registrytest.Lacks(w)
		return true
	})
	_, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	bundletest.Says(t, err, "renamed.yaml is not written", "/demo/agent@"+agent+" is not in the registry")
	absent()

	r.Disturb(nil)
	r.Reset()
	p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	want := src.String()
	for n, i := range b.Contents().Images {
		want = strings.Replace(want, i.Reference(), p.Images[n].Reference, 1)
	}
	if string(got) != want || p.Release.References != len(p.Images) || p.Release.Path != o.Out {
		t.Errorf("%d references renamed:\n%s\nwant:\n%s", p.Release.References, got, want)
	}
	calls, sent := r.Reset()
	heads := registrytest.Count(calls, "HEAD", "@") + registrytest.Count(calls, "HEAD", "/manifests/sha256:")
	if sent != 0 || heads < len(p.Images) {
		t.Errorf("of %d references %d were looked at", len(p.Images), heads)
	}
}
