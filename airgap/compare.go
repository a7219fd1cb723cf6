package airgap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/lock"
)

// Compare returns a function for [bundle.VerifyOptions] that lists where a bundle differs from the
// release of l.
func Compare(l *lock.Lock) func(c *bundle.Contents, complete bool) []string {
	return func(c *bundle.Contents, complete bool) []string {
		d := &comparison{
			contents: c, complete: complete, missed: complete && c.Volume == "",
			images: map[string]bundle.Image{}, omitted: map[string]bool{},
		}
		for _, i := range c.Images {
			d.images[i.Name] = i
		}
		for _, o := range c.Omitted {
			d.omitted[o.Name] = true
		}
		d.compare(l)
		return d.all
	}
}

// comparison collects differences. An image that is not in a volume is not one: it is in another
// volume. Only the first volume lists what the bundle omits, and each has the stub-base mark of the
// bundle.
type comparison struct {
	contents  *bundle.Contents
	complete  bool
	missed    bool // an image that is not in the bundle should be
	images    map[string]bundle.Image
	omitted   map[string]bool
	stubBases bool // a manifest of the bundle has a stub base in the lock
	all       []string
}

func (d *comparison) add(format string, args ...any) {
	d.all = append(d.all, fmt.Sprintf(format, args...))
}

func (d *comparison) compare(l *lock.Lock) {
	c := d.contents
	if c.Product != l.Name || c.Version != l.Version || !c.Created.Equal(l.Created) {
		d.add("it is a bundle of %s %s, made %s; the lock is of %s %s, made %s", c.Product, c.Version,
			c.Created, l.Name, l.Version, l.Created)
	}
	if c.Snapshot != l.Snapshot {
		d.add("its snapshot mark is %v, that of the lock %v", c.Snapshot, l.Snapshot)
	}
	of := Target{Groups: c.Groups}
	for _, g := range l.Groups {
		if !slices.Contains(c.Groups, g.Name) {
			continue
		}
		of.Charts = append(of.Charts, g.Charts...)
		if c.Needs != nil && !slices.Equal(c.Needs.Groups, []string{g.AddsTo}) {
			d.add("it lacks layers that group %s has, and in the lock its group %s adds to %s",
				strings.Join(c.Needs.Groups, " and "), g.Name, cmp.Or(g.AddsTo, "none"))
		}
	}
	if c.Needs != nil && len(c.Groups) == 0 {
		d.add("it has all images, and lacks layers that group %s has", strings.Join(c.Needs.Groups, " and "))
	}
	all := entries(l)
	for _, e := range all {
		_, there := d.images[e.Reference]
		switch {
		case !there && !of.takes(e): // it is in another group
		case !of.takes(e):
			d.add("%s is in the bundle, and in none of its groups in the lock", e.Reference)
			delete(d.images, e.Reference)
		case e.omitted != "" && d.missed && !d.omitted[e.Reference]:
			d.add("the lock omits %s, and the bundle does not list it as omitted", e.Reference)
		case e.omitted != "":
		case !there && !c.Platform.IsZero() && (e.chart || e.partial || e.Floating && d.omitted[e.first]):
			// nodes install no charts; a tag may be for other platforms, or float over an image
			// that is omitted
		default:
			d.image(e.Named)
		}
	}
	named := slices.Clone(c.Groups)
	if c.Needs != nil {
		named = append(named, c.Needs.Groups...)
	}
	slices.Sort(named)
	for _, g := range slices.Compact(named) {
		if !slices.ContainsFunc(all, func(e entry) bool { return slices.Contains(e.groups, g) }) {
			d.add("it names group %s, in which no image of the lock is", g)
		}
	}
	for _, i := range c.Images {
		if _, extra := d.images[i.Name]; extra {
			d.add("%s is in the bundle, not in the lock", i.Name)
		}
	}
	if d.complete && c.StubBases != d.stubBases && (d.stubBases || c.Volume == "") {
		d.add("its stub-base mark is %v, that of the lock %v", c.StubBases, d.stubBases)
	}
}

// image compares an image of the lock with that of the bundle. Third-party images and charts have
// no children.
func (d *comparison) image(n lock.Named) {
	digest := n.Desc.Digest
	name, err := imagename.Bundled(n.Reference, digest)
	if err != nil {
		d.add("the lock has an image without name: %v", err)
		return
	}
	i, ok := d.images[name]
	delete(d.images, name)
	switch {
	case !ok && d.missed && !d.omitted[name] && !d.omitted[n.Reference]:
		d.add("%s is in the lock, not in the bundle", name)
	case ok && i.Digest() != digest:
		d.add("%s is %s in the bundle, %s in the lock", name, i.Digest(), digest)
	case ok && n.Children != nil:
		d.manifests(i, n.Children)
	}
}

// manifests compares the manifests of an image with its children in the lock.
func (d *comparison) manifests(i bundle.Image, children []lock.Child) {
	have := map[v1.Hash]bundle.Manifest{}
	for _, m := range i.Included() {
		have[m.Desc.Digest] = m
	}
	for _, want := range children {
		m, ok := have[want.Digest]
		delete(have, want.Digest)
		switch {
		case !ok && d.contents.Platform.IsZero():
			d.add("%s for %s is in the lock, not in the bundle", i.Name, want.Platform)
		case ok && (m.Key != want.Platform.Key() || m.Config.Digest != want.Config):
			d.add("%s: %s is for %s in the bundle, for %s in the lock", i.Name, m.Desc.Digest, m.Platform,
				want.Platform)
		}
		d.stubBases = d.stubBases || ok && len(want.Stubs()) > 0
	}
	for _, m := range i.Included() {
		if _, extra := have[m.Desc.Digest]; extra {
			d.add("%s for %s is in the bundle, not in the lock", i.Name, m.Platform)
		}
	}
}

// compare compares an image of the product, as the store has it, with the lock.
func (e *entry) compare(have []bundle.Manifest) error {
	if len(have) != len(e.Children) {
		return fmt.Errorf("the lock names %d platforms, the index %s has %d: build the image again",
			len(e.Children), e.Desc.Digest, len(have))
	}
	for n, c := range e.Children {
		got := have[n]
		if got.Desc.Digest != c.Digest || got.Key != c.Platform.Key() ||
			got.Platform.OSVersion != c.OSVersion {
			return fmt.Errorf("the lock has %s as %s, the index has %s as %s: build the image again",
				c.Digest, c.Platform, got.Desc.Digest, got.Platform)
		}
	}
	return nil
}
