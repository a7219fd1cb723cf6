package bundle_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// only2025 is the digest of the manifest that the demo's bundle for 2025 has manifest-only.
func only2025(t *testing.T, b *bundle.Bundle) v1.Hash {
	t.Helper()
	h, err := v1.NewHash(b.Index().Manifests[0].Annotations[bundle.AnnotationManifestOnly])
	if err != nil || b.Metadata()[h] == nil {
		t.Fatalf("the bundle has no manifest-only entry: %v", err)
	}
	return h
}

// TestManifestOnlyPush: a manifest-only platform is not pushed, and the index lacks it unless
// another bundle includes it.
func TestManifestOnlyPush(t *testing.T) {
	t.Parallel()
	b := bundletest.Part(t, "windows/amd64:ltsc2025")
	h := only2025(t, b)
	o := bundletest.To(registrytest.Serve(t))
	o.Platforms = []string{"windows/amd64:ltsc2025"}
	_, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	bundletest.Says(t, err, "with all its platforms", "windows/amd64:10.0.20348.1")
	r := registrytest.Serve(t)
	r.Inner = registrytest.Lenient(r.Inner)
	o.To = bundletest.To(r).To
	p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(p.Images[0].NotInRegistry, "windows/amd64:10.0.20348.1") {
		t.Errorf("the index lacks %v", p.Images[0].NotInRegistry)
	}
	calls, _ := r.Reset()
	if n := registrytest.Count(calls, "PUT", h.String()); n != 0 ||
		registrytest.Count(calls, "PUT", "/manifests/") == 0 {
		t.Errorf("the manifest was pushed %d times: %v", n, calls)
	}
	o.Platforms = []string{"windows/amd64:ltsc2022"}
	_, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	bundletest.Says(t, err, "no image of the bundle has it")

	// With the bundle that has all of it.
	o.Platforms = []string{"windows"}
	if p, err = airgap.Push(t.Context(), []*bundle.Bundle{b, bundletest.Part(t, "windows/amd64:ltsc2022")},
		o); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(p.Images[0].NotInRegistry, "windows/amd64:10.0.20348.1") {
		t.Errorf("the index lacks %v", p.Images[0].NotInRegistry)
	}
	if calls, _ := r.Reset(); registrytest.Count(calls, "PUT", h.String()) != 1 {
		t.Errorf("the manifest was not pushed: %v", calls)
	}
}

// TestManifestOnlyExtract: a layout has what the bundle includes, and no other platform can be
// extracted.
func TestManifestOnlyExtract(t *testing.T) {
	t.Parallel()
	b := bundletest.Part(t, "windows/amd64:ltsc2025")
	h, agent, older := only2025(t, b), b.Contents().Images[0], bundletest.Parse(t, "windows/amd64:ltsc2022")
	dir := filepath.Join(t.TempDir(), "layout")
	x, err := b.Extract(t.Context(), agent.Name, bundle.ExtractOptions{To: dir})
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := os.ReadDir(filepath.Join(dir, "blobs", "sha256"))
	if err != nil || x.Digest != agent.Included()[0].Desc.Digest || len(blobs) != 2+len(agent.Included()[0].Layers) ||
		slices.ContainsFunc(blobs, func(e os.DirEntry) bool { return e.Name() == h.Hex }) {
		t.Errorf("extracted %+v, blobs %v: %v", x, blobs, err)
	}
	_, err = b.Extract(t.Context(),
		agent.Name, bundle.ExtractOptions{To: filepath.Join(t.TempDir(), "older"), Platform: older})
	bundletest.Says(t, err,
		"the bundle does not have it for windows/amd64:ltsc2022, only for windows/amd64:10.0.26100.1")
}

// TestManifestOnlySplit: a volume has the manifest-only entries of its images.
func TestManifestOnlySplit(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Mixed(t)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[4]
	dir := t.TempDir()
	v, err := bundle.Split(t.Context(), f.Path, bundle.SplitOptions{MaxSize: 18 << 10, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Volumes) < 2 {
		t.Fatalf("%d volumes", len(v.Volumes))
	}
	said := map[string]string{}
	for _, vol := range v.Volumes {
		path := filepath.Join(dir, vol.File)
		if r := bundletest.Verify(t, path, bundle.VerifyOptions{Compare: airgap.Compare(l)}); len(r.Problems) > 0 {
			t.Errorf("%s: %v", path, r.Problems)
		}
		for _, d := range bundletest.Opened(t, path).Index().Manifests {
			said[d.Annotations[bundle.AnnotationImageName]] = d.Annotations[bundle.AnnotationManifestOnly]
		}
	}
	want := map[string]string{}
	for _, d := range bundletest.Opened(t, f.Path).Index().Manifests {
		want[d.Annotations[bundle.AnnotationImageName]] = d.Annotations[bundle.AnnotationManifestOnly]
	}
	if d := cmp.Diff(want, said); d != "" {
		t.Errorf("manifest-only (-bundle +volumes):\n%s", d)
	}
}

// TestManifestOnlyDiff: a bundle without manifest-only entries differs in nothing that has to be
// transferred.
func TestManifestOnlyDiff(t *testing.T) {
	t.Parallel()
	b, path := bundletest.PartFile(t, "windows/amd64:ltsc2025")
	data := bundletest.Forge(t, withoutManifestOnly(t, b, path))
	old, err := bundle.NewBundle(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if old.Contents().Format != 1 {
		t.Errorf("the older bundle has format %d", old.Contents().Format)
	}
	d := bundle.Diff(old.Contents(), b.Contents())
	if len(d.Added)+len(d.Removed)+len(d.Changed)+d.Layers != 0 || d.Same != len(b.Contents().Images) {
		t.Errorf("the difference is %+v", d)
	}
	was, err := json.Marshal(old.Contents().Images)
	if err != nil {
		t.Fatal(err)
	}
	is, err := json.Marshal(b.Contents().Images)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(was), string(is)); d != "" {
		t.Errorf("images (-older +newer):\n%s", d)
	}
}

// withoutManifestOnly is the bundle without its manifest-only entry.
func withoutManifestOnly(t *testing.T, b *bundle.Bundle, path string) []bundletest.Forged {
	t.Helper()
	h := only2025(t, b)
	e := bundletest.Headers(t, path)
	e = slices.DeleteFunc(e, func(e bundletest.Forged) bool { return e.Name == bundletest.BlobName(h) })
	for from, to := range map[string]string{
		fmt.Sprintf("%q:%q,", bundle.AnnotationManifestOnly, h): "",
		fmt.Sprintf("%q:\"%d\"", bundle.AnnotationMetadata, len(b.Metadata())): fmt.Sprintf("%q:\"%d\"",
			bundle.AnnotationMetadata, len(b.Metadata())-1),
	} {
		was := e[2].Data
		if e[2].Data = bytes.Replace(was, []byte(from), []byte(to), 1); bytes.Equal(was, e[2].Data) {
			t.Fatalf("index.json has no %s", from)
		}
	}
	return e
}
