// Package lint holds Kubernetes manifests against what Linux and Windows nodes can run.
//
// Mixed releases break on nodes, not in CI: a field that Windows ignores or the API server
// refuses, a pod that lands on the wrong system, an index without the build of a node. [Check]
// looks at every pod that a manifest makes (see package workload) and reports a [Finding] for
// each place that breaks a [Rule], with file, line, column and path of the field, and what to
// write instead. docs/rules.md lists the rules.
//
// A finding that is known and meant is allowed by a comment on its line or the line above, or
// above the whole object,
//
//	# slipway:allow windows-sub-path containerd 2 on all our nodes
//
// or, since a rendered manifest has no comments, by an entry of lint.allow in slipway.yaml. Both
// need a reason.
//
// The sources of the rules are the Kubernetes enhancement for Windows nodes of 2019
// ([Enhancement]), which went through the API field by field, and what has become of it:
// validation in the API server, the kubelet and the documentation of today. Where these differ,
// the rule says so and takes today's.
package lint

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Options say what is known besides the manifests.
type Options struct {
	// Lock says which images there are, and for which platforms; without it, and without Remote,
	// images are not checked.
	Lock *lock.Lock
	// Remote asks registries for the platforms of images that are not in the lock. The result is
	// by reference; what is not there is missing from it. nil asks nobody.
	Remote func(ctx context.Context, refs []name.Digest) (map[string][]platform.Platform, error)
	// Allow are findings that slipway.yaml allows.
	Allow []product.Allow
	// Product is the release's, where the manifests are all of its manifests: what nothing uses
	// of it is then a finding, too.
	Product *product.Product
}

// File is a manifest; Name is for messages.
type File struct {
	Name string
	Text []byte
}

// Check reports what breaks a rule in manifests that belong together, sorted by place. An error
// says what is not a manifest, a line for each place with file:line:column; nothing is then
// checked.
func Check(ctx context.Context, files []File, o Options) (*Report, error) {
	c := &checker{o: o, report: &Report{Findings: []Finding{}, Allowed: []Finding{}}, missing: map[string]bool{}, named: map[string]bool{}, seen: map[place]bool{}}
	c.images, c.nodes = images(o.Lock)
	var errs []error
	for _, f := range files {
		errs = append(errs, c.read(f))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	c.classes = workload.NewRuntimeClasses(c.objects)
	var pods []*pod
	for n, o := range c.objects {
		if o.Pod != nil {
			pods = append(pods, newPod(n, o, c.classes))
		}
	}
	c.report.Objects, c.report.Pods = len(c.objects), len(pods)
	if !c.knowing() && len(pods) > 0 {
		c.report.Unchecked = "the images were not looked at: there is no lock"
	}
	mentions := c.mentions(pods)
	if err := c.ask(ctx, pods, mentions); err != nil {
		return nil, err
	}
	c.look(pods, mentions)
	c.allow()
	c.sort()
	return c.report, nil
}

// look checks everything.
func (c *checker) look(pods []*pod, mentions []mention) {
	for _, p := range pods {
		p.check(func(r Rule, what string, path ...any) { c.found(p, r, what, path...) })
		for _, ref := range workload.References(p.spec) {
			c.image(p, ref)
		}
		c.kpackTolerations(p)
	}
	for _, m := range mentions {
		c.mention(m)
	}
	c.unused()
}

// read adds the objects of a file, and what its comments allow.
func (c *checker) read(f File) (err error) {
	defer workload.Guard(f.Name, &err)
	objects, err := workload.Read(f.Name, f.Text)
	c.allows = append(c.allows, comments(f, objects, len(c.objects))...)
	c.objects = append(c.objects, objects...)
	c.report.Files = append(c.report.Files, f.Name)
	return err
}

// checker gathers findings.
type checker struct {
	o       Options
	objects []workload.Object
	classes workload.RuntimeClasses
	images  lock.Catalog
	nodes   []platform.Platform // those of the release
	missing map[string]bool     // references that their registry does not have
	named   map[string]bool     // repositories that the manifests name
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
	object int
}

// knowing reports whether there is somebody who knows about images.
func (c *checker) knowing() bool { return c.o.Lock != nil || c.o.Remote != nil }

// found records that a pod breaks a rule, once for each place.
func (c *checker) found(p *pod, r Rule, what string, path ...any) {
	field, pos := p.place(path)
	f := newFinding(r, what, pos)
	f.Severity = r.severity(p)
	f.folds = r.Folds || f.Severity != r.Severity
	f.Object, f.Path = output.Line(c.objects[p.object].String()), output.Line(field)
	c.add(f, p.object, "")
}

// add records a finding in an object, -1 where it is in none.
func (c *checker) add(f Finding, object int, ref string) {
	id := place{f.Rule, f.Path, ref, object}
	if c.seen[id] {
		return
	}
	c.seen[id] = true
	c.all = append(c.all, located{f, object})
}

func newFinding(r Rule, what string, pos workload.Pos) Finding {
	if what == "" {
		what = r.Title
	}
	return Finding{Rule: r.ID, Severity: r.Severity, File: pos.File, Line: pos.Line, Column: pos.Column, What: output.Line(what), Instead: r.Instead, Link: r.Link}
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
