package imagefile_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/image/imagefile"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// ref parses a reference: TRANSPORT:PATH, and behind spaces a name or @DIGEST.
func ref(tb testing.TB, text string) imagefile.Reference {
	tb.Helper()
	place, which, _ := strings.Cut(text, " ")
	transport, path, _ := strings.Cut(place, ":")
	r := imagefile.Reference{Transport: transport, Path: path, Text: transport + ":app"}
	if digest, ok := strings.CutPrefix(which, "@"); ok {
		h, err := v1.NewHash(digest)
		must(tb, err)
		r.Digest = h
		return r
	}
	r.Name = which
	return r
}

func parse(tb testing.TB, text string) (p platform.Platform) {
	tb.Helper()
	must(tb, p.UnmarshalText([]byte(text)))
	return p
}

// open opens a file, which is closed at the end.
func open(tb testing.TB, text string, st *store.Store) (*imagefile.File, error) {
	tb.Helper()
	f, err := imagefile.Open(context.Background(), ref(tb, text), st)
	if err == nil {
		tb.Cleanup(func() { must(tb, f.Close()) })
	}
	return f, err
}

// take opens a file and puts its image for a platform into a store.
func take(tb testing.TB, text, on string, st *store.Store) (taken imagefile.Taken, err error) {
	tb.Helper()
	f, err := open(tb, text, st)
	if err != nil {
		return taken, err
	}
	i, err := f.Image(parse(tb, on))
	if err != nil {
		return taken, err
	}
	return i.Put(context.Background(), st)
}

// complete checks that a store has an image and its referrers.
func complete(tb testing.TB, st *store.Store, taken imagefile.Taken) *oci.Tree {
	tb.Helper()
	t, all, err := st.Tree(taken.Manifest)
	must(tb, err)
	if !all {
		tb.Fatalf("the image %s is not complete", taken.Manifest.Digest)
	}
	for _, r := range taken.Referrers {
		rt, all, err := st.Tree(r.Descriptor())
		must(tb, err)
		if !all {
			tb.Errorf("the referrer %+v is not complete", r)
			continue
		}
		if rt.Subject == nil && r.Tag == "" || rt.Subject != nil && rt.Subject.Digest != r.Subject {
			tb.Errorf("the referrer %+v has the subject %+v", r, rt.Subject)
		}
	}
	return t
}

// manifests counts the manifests in a store.
func manifests(tb testing.TB, st *store.Store) (n int) {
	tb.Helper()
	dir := filepath.Join(st.Dir(), "blobs", "sha256")
	list, err := os.ReadDir(dir)
	must(tb, err)
	for _, e := range list {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(tb, err)
		if bytes.Contains(b[:min(len(b), 4096)], []byte(`"schemaVersion"`)) {
			n++
		}
	}
	return n
}

func TestTake(t *testing.T) {
	linux := indextest.Image(t, "linux/amd64", types.OCIManifestSchema1)
	docker := indextest.Image(t, "linux/arm64", types.DockerManifestSchema2)
	dir := archivetest.Layout(t, map[string]mutate.Appendable{"example.com/app:1": linux, "example.com/app:2": docker})
	h, err := docker.Digest()
	must(t, err)
	for _, test := range []struct {
		text, on string
		want     v1.Image
	}{
		{"oci:" + dir, "linux/amd64", linux},
		{"oci:" + dir, "linux/arm64/v8", docker},
		{"oci:" + dir + " 2", "linux/arm64", docker},
		{"oci:" + dir + " example.com/app:2", "linux/arm64", docker},
		{"oci:" + dir + " @" + h.String(), "linux/arm64", docker},
		{"oci-archive:" + archivetest.Pack(t, dir, "tar"), "linux/amd64", linux},
		{"oci-archive:" + archivetest.Pack(t, dir, "gz"), "linux/amd64", linux},
		{"oci-archive:" + archivetest.Pack(t, dir, "zst"), "linux/amd64", linux},
	} {
		t.Run(test.text, func(t *testing.T) {
			st := storetest.Open(t)
			taken, err := take(t, test.text, test.on, st)
			must(t, err)
			want, err := test.want.RawManifest()
			must(t, err)
			if got := complete(t, st, taken); !bytes.Equal(got.Raw, want) {
				t.Errorf("the manifest is %s, want %s", got.Raw, want)
			}
			if !platform.Same(platform.From(taken.Manifest.Platform), parse(t, test.on)) {
				t.Errorf("it is for %v", taken.Manifest.Platform)
			}
		})
	}
}
