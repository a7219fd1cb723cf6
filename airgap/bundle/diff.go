package bundle

import (
	"io"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Difference is what changed from one bundle to another.
type Difference struct {
	Old     string   `json:"old"` // version of the product
	New     string   `json:"new"`
	Added   []Image  `json:"added"`
	Removed []Image  `json:"removed"`
	Changed []Change `json:"changed"`
	Same    int      `json:"same"` // how many images are the same
	// Layers counts those of the new bundle that the old one lacks. Bytes is their size, as in
	// a delta, or in a push to a registry that has the old images.
	Layers int   `json:"layers"`
	Bytes  int64 `json:"bytes"`
}

// Change is an image whose digest, platforms or referrers changed.
type Change struct {
	Name  string `json:"name"`
	Old   Image  `json:"old"`
	New   Image  `json:"new"`
	Bytes int64  `json:"bytes"` // of its layers that the old bundle does not have
}

// Diff compares two bundles. Images with the same name are compared; the names of the product's
// images without its version, so that a new release changes them. Either bundle may be a delta,
// or sparse: layers that it lacks are available where it is used, and are not counted.
func Diff(from, to *Contents) *Difference {
	d := &Difference{Old: from.Version, New: to.Version, Added: []Image{}, Removed: []Image{}, Changed: []Change{}}
	has := to.Needs.lacking()
	for _, l := range from.AllLayers() {
		has[l.Digest] = true
	}
	for _, l := range to.AllLayers() {
		if !has[l.Digest] {
			d.Layers++
			d.Bytes += l.Size
		}
	}
	old := map[string]Image{}
	for _, i := range from.Images {
		old[from.key(i)] = i
	}
	for _, i := range to.Images {
		was, ok := old[to.key(i)]
		delete(old, to.key(i))
		switch {
		case !ok:
			d.Added = append(d.Added, i)
		case was.Digest() == i.Digest() && was.Name == i.Name && slices.EqualFunc(was.Included(),
			i.Included(), func(a, b Manifest) bool { return a.Desc.Digest == b.Desc.Digest }) &&
			slices.EqualFunc(was.Referrers, i.Referrers, func(a, b Referrer) bool { return a.Referrer == b.Referrer }):
			d.Same++
		default:
			d.Changed = append(d.Changed, Change{i.Name, was, i, i.newBytes(has)})
		}
	}
	for _, i := range from.Images {
		if _, gone := old[from.key(i)]; gone {
			d.Removed = append(d.Removed, i)
		}
	}
	d.pair(has)
	return d
}

// pair takes an image that was removed and one that was added for one that changed, if both are
// the product's and the only such ones of a repository: it has a version of its own.
func (d *Difference) pair(has map[v1.Hash]bool) {
	for _, i := range slices.Clone(d.Added) {
		other := func(o Image) bool { return o.Listed != "" || repository(o.Name) != repository(i.Name) }
		added := slices.DeleteFunc(slices.Clone(d.Added), other)
		removed := slices.DeleteFunc(slices.Clone(d.Removed), other)
		if i.Listed != "" || len(added) != 1 || len(removed) != 1 {
			continue
		}
		d.Changed = append(d.Changed, Change{i.Name, removed[0], i, i.newBytes(has)})
		same := func(o Image) bool { return !other(o) }
		d.Added, d.Removed = slices.DeleteFunc(d.Added, same), slices.DeleteFunc(d.Removed, same)
	}
}

// key identifies an image in two versions of a product: an image of the product by its name
// without the version, a third-party one by its name.
func (c *Contents) key(i Image) string {
	if i.Listed != "" {
		return i.Name
	}
	at := strings.LastIndex(i.Name, ":")
	return i.Name[:at] + strings.Replace(i.Name[at:], c.Version, "", 1)
}

// newBytes is the size of those layers of the image that are not in had.
func (i Image) newBytes(had map[v1.Hash]bool) int64 {
	var n int64
	for _, l := range (&Contents{Images: []Image{i}}).AllLayers() {
		if !had[l.Digest] {
			n += l.Size
		}
	}
	return n
}

// WriteTable writes the difference for a person.
func (d *Difference) WriteTable(w io.Writer) error {
	t := output.NewTable(w, "")
	for _, i := range d.Added {
		t.Row("+\t%s\t%s\t%s", i.Name, progress.Size(i.size()), i.Digest())
	}
	for _, i := range d.Removed {
		t.Row("-\t%s\t%s\t%s", i.Name, progress.Size(i.size()), i.Digest())
	}
	for _, c := range d.Changed {
		t.Row("~\t%s\t%s new\t%s", c.Name, progress.Size(c.Bytes), c.New.Digest())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := output.Fprintf(w, "%s to %s: %d added, %d removed, %d changed, %d the same; to transfer: %d layers, %s\n",
		d.Old, d.New, len(d.Added), len(d.Removed), len(d.Changed), d.Same, d.Layers, progress.Size(d.Bytes))
	return err
}
