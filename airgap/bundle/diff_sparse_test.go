package bundle_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"
)

// TestDiffSparse: what a sparse bundle lacks is where it is used, before and after.
func TestDiffSparse(t *testing.T) {
	t.Parallel()
	_, core, sparse, more := sharing(t)
	for name, c := range map[string][2]*bundle.Contents{
		"itself": {sparse.Contents, sparse.Contents}, "completed": {sparse.Contents, more.Contents},
		"narrowed": {more.Contents, sparse.Contents},
	} {
		if d := bundle.Diff(c[0], c[1]); d.Layers != 0 || d.Bytes != 0 || d.Same != len(more.Contents.Images) {
			t.Errorf("%s: %+v", name, d)
		}
	}
	// An older release, whose images have none of these layers: what is lacked is new, and in the
	// base.
	older := &bundle.Contents{Version: "0.9.0"}
	for _, i := range sparse.Contents.Images {
		o := core.Contents.Images[0]
		o.Listed, o.Name = i.Listed, i.Name
		if i.Listed == "" {
			o.Name = strings.Replace(i.Name, sparse.Contents.Version, older.Version, 1)
		}
		older.Images = append(older.Images, o)
	}
	had := older.LayerSet()
	d := bundle.Diff(older, sparse.Contents)
	if len(d.Changed) != len(older.Images) {
		t.Fatalf("not all images changed: %+v", d)
	}
	lacked := false
	for _, c := range d.Changed {
		var want int64
		for _, l := range (&bundle.Contents{Images: []bundle.Image{c.New}}).AllLayers() {
			lacks := sparse.Contents.Needs.Lacks(l.Digest)
			lacked = lacked || lacks && !had[l.Digest]
			if !lacks && !had[l.Digest] {
				want += l.Size
			}
		}
		if c.Bytes != want {
			t.Errorf("%s: %d bytes are new, want %d", c.Name, c.Bytes, want)
		}
	}
	if !lacked {
		t.Error("the older release has all layers that are lacked")
	}
}
