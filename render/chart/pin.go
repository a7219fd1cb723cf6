package chart

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/renderer"
)

// Mapping is an image for a place in the values, where its reference does not identify it.
type Mapping struct {
	Path  string // in the values: image.app, sidecars[0].image
	Image Image
	Pos   yamlfile.Pos // of the mapping, for messages
}

// Case is what a chart is rendered with to pin or judge it.
type Case struct {
	Name    string // "" for the chart's own values
	Options Options
}

// PinOptions are settings of [Chart.Pin].
type PinOptions struct {
	Cases    []Case // the chart's own values if there are none
	Mappings []Mapping
	// Find returns the image for a reference, and nil for one that it does not know. A reference
	// that was pinned before is asked for as well.
	Find func(reference string) *Image
	// Unrendered is called for each value that Find knows and that no case renders, so that it
	// stays as it is. Nil is allowed.
	Unrendered func(Unrendered)
}

// Pin returns the chart with the images that Find knows by digest. Of the texts of values.yaml only
// the values of images change; where their form does not take a digest, the line of the template
// gets it, for the chart's own values only. Whatever a change does is seen by rendering before and
// after: nothing but the references may differ. The error has a line for each reference that
// cannot be pinned.
func (c *Chart) Pin(ctx context.Context, o PinOptions) (*Chart, error) {
	p := &pinner{
		ctx: ctx, options: o, chart: c, known: map[string]*Image{}, failed: map[string]bool{},
		mapped: make([]bool, len(o.Mappings)),
	}
	if p.cases = o.Cases; len(p.cases) == 0 {
		p.cases = []Case{{}}
	}
	for _, m := range o.Mappings {
		if err := c.checkMapping(m); err != nil {
			return nil, err
		}
	}
	if err := p.run(); err != nil {
		return nil, err
	}
	for i, m := range o.Mappings {
		if !p.mapped[i] {
			p.errs = append(p.errs,
				fmt.Errorf("%s: no rendering of chart %s uses the value %s for an image: add a case under cases whose "+
					"values enable it, or correct the path", m.Pos, c.Name(), output.Line(m.Path)))
		}
	}
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	p.unrendered()
	return p.chart, nil
}

// pinner pins one reference after another.
type pinner struct {
	ctx     context.Context //nolint:containedctx // it lives as long as a call
	options PinOptions
	cases   []Case
	chart   *Chart
	before  []view            // what each case renders
	parts   map[string][]part // of a reference at a place, by the key of the use
	known   map[string]*Image // references that a change made
	failed  map[string]bool   // keys of uses that cannot be pinned
	mapped  []bool
	errs    []error
}

// run pins references until none is left.
func (p *pinner) run() error {
	var err error
	if p.before, err = p.views(p.chart); err != nil {
		return err
	}
	for {
		if err := p.compose(); err != nil {
			return err
		}
		next := p.next()
		if next == nil {
			return nil
		}
		if err := p.pin(*next); err != nil {
			return err
		}
	}
}

// next returns a use that is to be pinned.
func (p *pinner) next() *use {
	for n, v := range p.before {
		for _, u := range v.uses {
			u.inCase = n
			if p.failed[u.key()] || p.overridden(u) {
				continue
			}
			if strings.Count(u.Reference, "@") > 1 && u.Field {
				p.fail(u, fmt.Errorf("%s: %s has two digests: take one out of the values of the chart",
					p.place(u), output.Line(u.Reference)))
				continue
			}
			if i := p.image(u); i != nil && !i.is(u.Reference) {
				return &u
			}
		}
	}
	return nil
}

// image returns what a use becomes; nil if it stays.
func (p *pinner) image(u use) *Image {
	if m, _ := p.mapping(u); m != nil {
		return &m.Image
	}
	if i := p.known[u.Reference]; i != nil {
		return i
	}
	if p.options.Find == nil {
		return nil
	}
	return p.options.Find(u.Reference)
}

// mapping returns what maps a value that a use is made of, and the path of that; nil if nothing
// does.
func (p *pinner) mapping(u use) (found *Mapping, at string) {
	for _, t := range p.parts[u.key()] {
		if t.value == nil {
			continue
		}
		for _, chart := range t.value.of(u.Template) {
			for _, way := range t.value.ways(chart) {
				for n, m := range p.options.Mappings {
					if !below(way, m.Path) {
						continue
					}
					p.mapped[n] = true
					if found == nil {
						found, at = &p.options.Mappings[n], way
					}
				}
			}
		}
	}
	return found, at
}

// overridden reports whether a case, not the chart, has a part of the reference.
func (p *pinner) overridden(u use) bool {
	return slices.ContainsFunc(p.parts[u.key()], func(t part) bool { return t.value == nil })
}

// is reports whether a reference is that image, by digest.
func (i *Image) is(reference string) bool {
	base, digest, _ := strings.Cut(reference, "@")
	repository, _ := splitTag(base)
	return digest == i.Digest && sameRepository(repository, i.Repository)
}

// pin tries one change after another until one gives the reference its digest and leaves all else.
func (p *pinner) pin(u use) error {
	image := p.image(u)
	if at, other := p.repeated(u); other != "" {
		m, _ := p.mapping(u)
		p.fail(u,
			fmt.Errorf("%s: %s and %s are one text, by an alias of YAML: write that of "+
				"%s itself, or map both to one image", m.Pos, output.Line(at), output.Line(other), output.Line(other)))
		return nil
	}
	changed, views, shared, err := p.try(u, image)
	if err != nil {
		return err
	}
	if changed != nil {
		p.chart, p.before = changed, views
		return nil
	}
	if m, at := p.mapping(u); shared {
		p.fail(u,
			fmt.Errorf("%s: %s is in the values.yaml of a subchart that has several aliases: "+
				"write it in the values.yaml of the chart above, too, or map that value of each alias to one image%s",
				m.Pos, output.Line(at), inCase(p.cases[u.inCase].Name)))
		return nil
	}
	// Could it be pinned if the image were in the repository that it names now?
	base, _, _ := strings.Cut(u.Reference, "@")
	there := *image
	if there.Repository, _ = splitTag(base); !sameRepository(there.Repository, image.Repository) {
		changed, _, _, err = p.try(u, &there)
	}
	if err != nil {
		return err
	}
	if changed != nil {
		p.fail(u,
			fmt.Errorf("%s: %s cannot be pinned to %s: the chart takes the digest, and no value "+
				"of it is the repository: make that one value, or release to the registry whose names the chart has%s",
				p.place(u), output.Line(u.Reference), image.Repository, inCase(p.cases[u.inCase].Name)))
		return nil
	}
	if !sameRepository(there.Repository, image.Repository) {
		p.fail(u,
			fmt.Errorf("%s: %s cannot be pinned to %s: no change of a value or of the template gives it that "+
				"repository and the digest, and nothing else: make it of one value, or of repository, tag and digest%s",
				p.place(u), output.Line(u.Reference), image.Repository, inCase(p.cases[u.inCase].Name)))
		return nil
	}
	p.fail(u,
		fmt.Errorf("%s: %s cannot be pinned, since neither a value nor the template takes its digest: "+
			"make it of one value, or of repository, tag and digest%s",
			p.place(u), output.Line(u.Reference), inCase(p.cases[u.inCase].Name)))
	return nil
}

// try returns the chart with the first change that gives a reference its digest and leaves all
// else, and what that renders; nil if there is none. shared reports whether one would have reached
// another use.
func (p *pinner) try(u use, image *Image) (changed *Chart, views []view, shared bool, err error) {
	for _, change := range p.changes(u, image) {
		changed, err := change(p.chart)
		if err != nil {
			shared = shared || errors.Is(err, errShared)
			continue // the next may fit
		}
		views, err := p.views(changed)
		if err != nil && (p.ctx.Err() != nil || renderer.Exceeded(err)) {
			return nil, nil, false, err
		}
		if err == nil && p.accept(u, image, views) {
			return changed, views, false, nil
		}
	}
	return nil, nil, shared, nil
}

// fail records that a use cannot be pinned, and why, which may be so of several.
func (p *pinner) fail(u use, err error) {
	p.failed[u.key()] = true
	if !slices.ContainsFunc(p.errs, func(o error) bool { return o.Error() == err.Error() }) {
		p.errs = append(p.errs, err)
	}
}

func inCase(name string) string {
	if name == "" {
		return ""
	}
	return " (case " + output.Line(name) + ")"
}

// place returns the line of the template that made a use.
func (p *pinner) place(u use) string {
	v := p.before[u.inCase]
	lines, _, err := p.chart.places(p.ctx, p.cases[u.inCase].Options, v.rendered, rendering{Fixed: true})
	if l := lines[u.Template]; err == nil && u.Line <= len(l) {
		return l[u.Line-1]
	}
	for _, t := range v.rendered.templates {
		if t.Name == u.Template {
			return t.file.Shown
		}
	}
	return p.chart.shown
}
