// Package references finds the third-party images that a release needs: those that its manifests
// name, those that images.txt adds, without those that it removes.
//
// Images are found in manifests as [Find] gets them from a rendering with made-up digests of the
// product's own images, since their names, and not their digests, decide what a cluster pulls.
// [Add] then gives each found image its digest: its own, that of images.txt or that of
// images.lock.yaml. What none of these pins is for a release an error.
package references

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/workload"
)

// Manifest is a rendered manifest.
type Manifest struct {
	File string // for positions: release.yaml
	Text []byte
	// Origin returns the place that a line was rendered from, as FILE:LINE; "" if it is not known.
	Origin func(line int) string
	// Chart and Case name the chart that it was rendered from, and with which values; they are
	// empty for release.yaml, and Case for the default values.
	Chart, Case string
	// Annotated are images that annotations of the chart list.
	Annotated []Annotated
}

// Annotated is an image in an annotation.
type Annotated struct {
	Annotation, Reference string
	Pos                   yamlfile.Pos // of the annotation
}

// Image is a third-party image as manifests name it.
type Image struct {
	Reference string       // as written
	Pos       yamlfile.Pos // of the first place that names it, without a column
	From      []string     // all places: Deployment kpack/controller container controller
	// OS are the operating systems of the pods that run it; nil if they may be any, or if
	// something else than a container names it.
	OS []string
	// Field reports whether a place that names it must have an image, and is not just a text that
	// looks like one.
	Field bool
	// Groups are the groups of images that what names it is in, sorted.
	Groups []string
	// Listed are the groups whose lists name it, sorted.
	Listed []string

	ref       name.Reference
	tag       string // repository:tag in full; "" without a tag
	annotated bool   // nothing else than an annotation names it
}

// Found is what [Find] returns.
type Found struct {
	Images []Image // that are not the product's, in the order of the lists and manifests
	// Own are the groups of the product's images, by their names, as what names them has it.
	Own map[string][]string
}

// Find returns the images in the lists of groups and in manifests. The error lists the files that
// are not YAML.
func Find(p *product.Product, manifests []Manifest) (Found, error) {
	f := &finder{product: p, images: map[string]*Image{}, places: map[string]bool{}, own: map[string][]string{}}
	for _, g := range p.Airgap.Groups {
		f.listed(g)
	}
	for _, m := range manifests {
		objects, err := workload.Read(m.File, m.Text)
		if err != nil {
			return Found{}, err
		}
		classes := workload.NewRuntimeClasses(objects)
		for _, o := range objects {
			f.object(m, o, containers(o, classes))
		}
	}
	for _, m := range manifests {
		f.annotated(m)
	}
	var all []Image
	for _, key := range f.order {
		all = append(all, *f.images[key])
	}
	return Found{all, f.own}, nil
}

// finder gathers images.
type finder struct {
	own     map[string][]string // as in Found
	product *product.Product
	images  map[string]*Image
	order   []string
	places  map[string]bool // of charts, without their cases
}

// container is a place in a pod that runs an image.
type container struct {
	called string // container NAME, volume NAME
	os     []string
}

// containers maps the paths of the images of an object's pod to what runs them.
func containers(o workload.Object, classes workload.RuntimeClasses) map[string]container {
	if o.Pod == nil {
		return nil
	}
	spec, _ := o.Admitted(classes)
	all := map[string]container{}
	for _, c := range workload.Containers(spec) {
		path := slices.Concat(c.Path, []any{"image"})
		all[o.Pod.Path(path...)] = container{"container " + c.Name, workload.RunsOn(spec)}
	}
	for n, v := range spec.Volumes {
		all[o.Pod.Path("volumes", n, "image", "reference")] = container{"volume " + v.Name, workload.RunsOn(spec)}
	}
	return all
}

// object adds what an object names. Metadata is for people and tools.
func (f *finder) object(m Manifest, o workload.Object, runs map[string]container) {
	groups, versions := f.groups(m, o), o.Versions()
	o.Texts(func(t workload.Text) {
		if slices.Contains(t.Keys, "metadata") {
			return
		}
		c, ofPod := runs[t.Path()]
		field := ofPod || workload.IsImageField(o.APIVersion, o.Kind, t.Keys, t.Value)
		refs := []string{strings.TrimSpace(t.Value)}
		if !field {
			refs = lock.Catalog(nil).Mentions(t.Name, t.Value)
		}
		if !ofPod {
			c.called = t.Path()
		}
		for _, ref := range refs {
			i := parse(ref)
			if i == nil || !field && versions[ref] {
				continue
			}
			if owner := f.product.Owner(i.ref.Context()); owner != "" {
				f.own[owner] = merge(f.own[owner], groups)
				continue
			}
			if !ofPod && o.IsIncomplete(ref) {
				continue // lint reports it, unless its neighbors complete it
			}
			i.Pos, i.OS, i.Field, i.Groups = m.pos(t.Pos), c.os, field, groups
			f.add(i, m, output.Line(o.String()+" "+c.called))
		}
	})
	o.Composed(func(c workload.Composed) {
		i := parse(c.Reference)
		if i == nil {
			return // lint reports it
		}
		if owner := f.product.Owner(i.ref.Context()); owner != "" {
			f.own[owner] = merge(f.own[owner], groups)
			return
		}
		i.Pos, i.Field, i.Groups = m.pos(c.Pos), true, groups
		f.add(i, m, output.Line(o.String()+" "+c.Path))
	})
}

// parse reads a reference, and returns nil for a text that is not a reference, which lint reports.
func parse(text string) *Image {
	ref, err := name.ParseReference(text)
	if err != nil || text == "" || strings.Contains(text, "://") || output.Account(text) {
		return nil
	}
	i := &Image{Reference: text, ref: ref}
	before, _, _ := strings.Cut(text, "@")
	if t, err := name.NewTag(before, name.WithDefaultTag("")); err == nil && t.TagStr() != "" {
		i.tag = t.Name()
	}
	return i
}

// pinned reports whether the reference has a digest.
func (i *Image) pinned() bool {
	_, ok := i.ref.(name.Digest)
	return ok
}

// key is equal for references to one image: repository and digest, or else the tag.
func (i *Image) key() string { return i.ref.Name() }

// add adds a place that names an image. A case of a chart adds only what other values do not.
func (f *finder) add(i *Image, m Manifest, place string) {
	if have := f.images[i.key()]; have != nil {
		have.Groups = merge(have.Groups, i.Groups)
	}
	if m.Chart != "" {
		if id := m.Chart + " " + i.key() + " " + place; f.places[id] {
			return
		} else {
			f.places[id] = true
		}
		place = m.label() + ": " + place
	}
	have := f.images[i.key()]
	if have == nil {
		i.From = []string{place}
		f.images[i.key()] = i
		f.order = append(f.order, i.key())
		return
	}
	if i.tag != "" && have.tag == "" {
		have.tag, have.Reference = i.tag, i.Reference
	}
	have.Field, have.Listed = have.Field || i.Field, merge(have.Listed, i.Listed)
	have.OS = union(have.OS, i.OS)
	if !slices.Contains(have.From, place) {
		have.From = append(have.From, place)
	}
}

func (m Manifest) label() string {
	if m.Case == "" {
		return "chart " + m.Chart
	}
	return "chart " + m.Chart + ", case " + m.Case
}

// union joins operating systems; nil is all of them.
func union(a, b []string) []string {
	if a == nil || b == nil {
		return nil
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// pos returns where a place in a manifest was rendered from.
func (m Manifest) pos(at yamlfile.Pos) yamlfile.Pos {
	out := yamlfile.Pos{File: m.File, Line: at.Line}
	if m.Origin == nil {
		return out
	}
	origin := m.Origin(at.Line)
	n := strings.LastIndex(origin, ":")
	if n < 0 {
		return out
	}
	line, err := strconv.Atoi(origin[n+1:])
	if err != nil {
		return out
	}
	return yamlfile.Pos{File: origin[:n], Line: line}
}
