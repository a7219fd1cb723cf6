package airgap

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// bare2025 is the digest of the manifest that the demo's bundle for 2025 has bare.
func bare2025(t *testing.T, b *Bundle) v1.Hash {
	t.Helper()
	h, err := v1.NewHash(b.head.index.Manifests[0].Annotations[annotationBare])
	if err != nil || b.head.blobs[h] == nil {
		t.Fatalf("the bundle has no bare manifest: %v", err)
	}
	return h
}

// TestBarePush: a bare manifest is not pushed, and its platform is one that the index lacks,
// unless another bundle has it whole.
func TestBarePush(t *testing.T) {
	t.Parallel()
	b := part(t, "windows/amd64:ltsc2025")
	h := bare2025(t, b)
	o := to(newRegistry(t))
	o.Platforms = []string{"windows/amd64:ltsc2025"}
	_, err := Push(t.Context(), []*Bundle{b}, o)
	says(t, err, "with all its platforms", "windows/amd64:10.0.20348.1")
	r := newRegistry(t)
	r.inner = lenient(r.inner)
	o.To = to(r).To
	p, err := Push(t.Context(), []*Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(p.Images[0].Lacking, "windows/amd64:10.0.20348.1") {
		t.Errorf("the index lacks %v", p.Images[0].Lacking)
	}
	calls, _ := r.reset(nil)
	if n := count(calls, "PUT", h.String()); n != 0 || count(calls, "PUT", "/manifests/") == 0 {
		t.Errorf("the bare manifest was pushed %d times: %v", n, calls)
	}
	o.Platforms = []string{"windows/amd64:ltsc2022"}
	_, err = Push(t.Context(), []*Bundle{b}, o)
	says(t, err, "no image of the bundle has it")

	// With the bundle that has all of it.
	o.Platforms = []string{"windows"}
	if p, err = Push(t.Context(), []*Bundle{b, part(t, "windows/amd64:ltsc2022")}, o); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(p.Images[0].Lacking, "windows/amd64:10.0.20348.1") {
		t.Errorf("the index lacks %v", p.Images[0].Lacking)
	}
	if calls, _ := r.reset(nil); count(calls, "PUT", h.String()) != 1 {
		t.Errorf("the manifest was not pushed: %v", calls)
	}
}

// TestBareExtract: a layout has what the bundle carries, and no other platform is to be had.
func TestBareExtract(t *testing.T) {
	t.Parallel()
	b := part(t, "windows/amd64:ltsc2025")
	h, agent, older := bare2025(t, b), b.contents.Images[0], parse(t, "windows/amd64:ltsc2022")
	dir := filepath.Join(t.TempDir(), "layout")
	x, err := b.Extract(t.Context(), agent.Name, ExtractOptions{To: dir})
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := os.ReadDir(filepath.Join(dir, "blobs", "sha256"))
	if err != nil || x.Digest != agent.Children[0].Digest || len(blobs) != 2+len(agent.Children[0].Layers) || slices.ContainsFunc(blobs, func(e os.DirEntry) bool { return e.Name() == h.Hex }) {
		t.Errorf("extracted %+v, blobs %v: %v", x, blobs, err)
	}
	_, err = b.Extract(t.Context(), agent.Name, ExtractOptions{To: filepath.Join(t.TempDir(), "older"), Platform: older})
	says(t, err, "the bundle has no windows/amd64:ltsc2022 of it, only windows/amd64:10.0.26100.1")
}

// TestBareSplit: a volume has the bare manifests of its images.
func TestBareSplit(t *testing.T) {
	t.Parallel()
	st, l := mixed(t)
	f := pack(t, st, l, t.TempDir(), bundles(t)...)[4]
	dir := t.TempDir()
	v, err := Split(t.Context(), f.Path, SplitOptions{MaxSize: 16 << 10, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Volumes) < 2 {
		t.Fatalf("%d volumes", len(v.Volumes))
	}
	said := map[string]string{}
	for _, vol := range v.Volumes {
		path := filepath.Join(dir, vol.File)
		if r := verify(t, path, VerifyOptions{Lock: l}); len(r.Problems) > 0 {
			t.Errorf("%s: %v", path, r.Problems)
		}
		for _, d := range opened(t, path).head.index.Manifests {
			said[d.Annotations[annotationImageName]] = d.Annotations[annotationBare]
		}
	}
	want := map[string]string{}
	for _, d := range opened(t, f.Path).head.index.Manifests {
		want[d.Annotations[annotationImageName]] = d.Annotations[annotationBare]
	}
	if d := cmp.Diff(want, said); d != "" {
		t.Errorf("bare manifests (-bundle +volumes):\n%s", d)
	}
}

// TestBareDiff: an older bundle that has no bare manifests holds the same, and nothing is to be
// transferred.
func TestBareDiff(t *testing.T) {
	t.Parallel()
	b := part(t, "windows/amd64:ltsc2025")
	data := forge(t, withoutBare(t, b))
	old, err := newBundle(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if old.contents.Format != 1 {
		t.Errorf("the older bundle has format %d", old.contents.Format)
	}
	d := Diff(old.contents, b.contents)
	if len(d.Added)+len(d.Removed)+len(d.Changed)+d.Layers != 0 || d.Same != len(b.contents.Images) {
		t.Errorf("the difference is %+v", d)
	}
	if d := cmp.Diff(old.contents.Images, b.contents.Images); d != "" {
		t.Errorf("images (-older +newer):\n%s", d)
	}
}

// withoutBare is a bundle as it was packed before there were bare manifests.
func withoutBare(t *testing.T, b *Bundle) []forged {
	t.Helper()
	h := bare2025(t, b)
	e := headers(t, b.closer.(*os.File).Name())
	e = slices.DeleteFunc(e, func(e forged) bool { return e.Name == blobName(h) })
	for from, to := range map[string]string{
		fmt.Sprintf("%q:%q,", annotationBare, h):                       "",
		fmt.Sprintf("%q:%q", annotationFormat, "2"):                    fmt.Sprintf("%q:%q", annotationFormat, "1"),
		fmt.Sprintf("%q:\"%d\"", annotationEntries, len(b.head.blobs)): fmt.Sprintf("%q:\"%d\"", annotationEntries, len(b.head.blobs)-1),
	} {
		was := e[2].data
		if e[2].data = bytes.Replace(was, []byte(from), []byte(to), 1); bytes.Equal(was, e[2].data) {
			t.Fatalf("index.json has no %s", from)
		}
	}
	return e
}
