package airgap

import (
	"path/filepath"
	"testing"
)

// TestPushDelta pushes a delta to a registry that has its base, to one that has not, and together
// with the base.
func TestPushDelta(t *testing.T) {
	t.Parallel()
	st, l := demo(t, 20_000)
	n := later(t, st, l)
	// a layer that is not compressed, which validate cannot read
	n.Images = n.Images[:len(n.Images)-1]
	dir := t.TempDir()
	all := bundles(t)
	old := pack(t, st, l, filepath.Join(dir, "old"), all...)[5].Path
	files, err := PackDelta(t.Context(), st, n, all, []string{old}, PackOptions{Dir: filepath.Join(dir, "new")})
	if err != nil {
		t.Fatal(err)
	}
	delta, err := OpenAny(files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	defer delta.Close()
	base, r := opened(t, old), newRegistry(t)

	o := to(r)
	o.Registry.Jobs = 1 // the largest blob first, which the delta has
	_, err = Push(t.Context(), []*Bundle{delta}, o)
	says(t, err, "the registry does not have it", filepath.Base(old), "version 1.2.3", "push that first")
	calls, sent := r.reset(nil)
	if sent != 0 || count(calls, "PUT", "") != 0 {
		t.Errorf("%d bytes were sent, with %v", sent, calls)
	}

	if _, err := Push(t.Context(), []*Bundle{base}, to(r)); err != nil {
		t.Fatal(err)
	}
	_, whole := r.reset(nil)
	p, err := Push(t.Context(), []*Bundle{delta}, to(r))
	if err != nil {
		t.Fatal(err)
	}
	pull(t, p)
	if _, sent := r.reset(nil); sent == 0 || sent > whole/2 {
		t.Errorf("%d bytes were sent for the delta, %d for the base", sent, whole)
	}

	r = newRegistry(t)
	if p, err = Push(t.Context(), []*Bundle{delta, base}, to(r)); err != nil {
		t.Fatal(err)
	}
	pull(t, p)
}
