package lint

import (
	"cmp"
	"slices"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// checker gathers findings.
type checker struct {
	options Options
	objects []workload.Object
	pods    []*pod
	classes workload.RuntimeClasses
	images  lock.Catalog
	nodes   []platform.Platform // the platforms of the release
	missing map[string]bool     // references that their registry does not have
	named   map[string]bool     // images that the manifests name
	texts   map[textKey]*imageText
	order   []*imageText // texts in the order of the manifests
	origins map[string]func(line int) string
	allows  []*allow
	all     []located
	seen    map[place]bool
	report  *Report
}

// place is where a rule is broken, and by which of the references in a text.
type place struct {
	rule, path, ref string
	object          int
}

// located is a finding in an object.
type located struct {
	Finding
	object int // -1 for none
}

// canResolve reports whether a lock or a registry lookup is available.
func (c *checker) canResolve() bool { return c.options.Lock != nil || c.options.Remote != nil }

// release reports whether the manifests are all of a release.
func (c *checker) release() bool { return c.options.Product != nil }

// inPod records that a pod breaks a rule, at a path below its spec.
func (c *checker) inPod(p *pod, r Rule, what string, path ...any) {
	field, pos := p.place(path)
	f := c.newFinding(r, what, pos)
	f.Severity = r.severity(p)
	f.folds = r.Folds || f.Severity != r.Severity
	if r.Strict && c.release() {
		f.Severity = Error
	}
	c.inObject(f, p.object, field, "")
}

// inObject records a finding at a path of an object. ref is the reference that it is about, since
// a text may have several.
func (c *checker) inObject(f Finding, object int, path, ref string) {
	f.Object, f.Path = output.Line(c.objects[object].String()), output.Line(path)
	c.add(f, object, ref)
}

// add records a finding once for each place.
func (c *checker) add(f Finding, object int, ref string) {
	id := place{f.Rule, f.Path, ref, object}
	if c.seen[id] {
		return
	}
	c.seen[id] = true
	c.all = append(c.all, located{f, object})
}

// newFinding returns a finding of a rule; what is its title if empty.
func (c *checker) newFinding(r Rule, what string, pos yamlfile.Pos) Finding {
	f := Finding{
		Rule: r.ID, Severity: r.Severity, File: pos.File, Line: pos.Line, Column: pos.Column,
		What: output.Line(cmp.Or(what, r.Title)), Instead: r.Instead, Link: r.Link,
	}
	if origin := c.origins[pos.File]; origin != nil {
		f.Origin = origin(pos.Line)
	}
	return f
}

func (c *checker) sort() {
	for _, list := range [][]Finding{c.report.Findings, c.report.Allowed} {
		slices.SortStableFunc(list, func(a, b Finding) int {
			return cmp.Or(
				slices.Index(c.report.Files, a.File)-slices.Index(c.report.Files, b.File),
				cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule),
			)
		})
	}
}
