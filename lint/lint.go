// Package lint judges Kubernetes manifests: whether an API server takes them, and what Linux and
// Windows nodes can run.
//
// Mixed releases break on nodes, not in CI: a field that Windows ignores or the API server
// refuses, a pod on the wrong operating system, an index without the build of a node. [Check]
// looks at every object of a manifest and at every pod that it makes (see package workload) and
// reports a [Finding] for each place that breaks a [Rule], with file, line, column and path of the
// field, and what to write instead. docs/rules.md lists the rules.
//
// A finding that is intended is allowed by a comment on its line or the line above, or above the
// object,
//
//	# slipway:allow windows-sub-path containerd 2 on all our nodes
//
// or, since a rendered manifest has no comments, by an entry of lint.allow in slipway.yaml. Both
// need a reason.
//
// The sources of the rules are the Kubernetes enhancement for Windows nodes of 2019
// ([Enhancement]), which went through the API field by field, and what has become of it:
// validation in the API server, the kubelet and the documentation of today. Where these differ,
// the rule says so and follows today's.
package lint

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/chart"
	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Options say what is known besides the manifests.
type Options struct {
	// Lock has the images and their platforms; without it, and without Remote, images are not
	// checked.
	Lock *lock.Lock
	// Remote asks registries for the platforms of images that are not in the lock. The result is
	// by reference, without those that do not exist. nil asks none.
	Remote func(ctx context.Context, refs []name.Digest) (map[string][]platform.Platform, error)
	// Allow are findings that slipway.yaml allows.
	Allow []product.Allow
	// Product is set if the manifests are all manifests of its release. Rules that need all of
	// them apply then, references must be pinned and in the lock, and entries of slipway.yaml
	// that nothing uses are findings.
	Product *product.Product
	// Values are the product's data values as the templates got them.
	Values map[string]any
	// Charts are the reports on the product's charts, from [CheckChart]: what they use is used.
	Charts []*Report
	// Unrendered are the values of the chart that [CheckChart] checks which name images, and that
	// none of its cases renders.
	Unrendered []chart.Unrendered

	chart bool // the manifests are of one of several charts
}

// File is a manifest.
type File struct {
	Name string // for messages
	Text []byte
	// Origin returns the place that a line was rendered from, such as config/app.yaml:12, or ""
	// if it is not known. nil is for a file that was not rendered.
	Origin func(line int) string
}

// Check reports what breaks a rule in manifests that belong together, sorted by place. The error
// lists what cannot be read, with file:line:column; the report beside it is about the other files.
// With a product, whose manifests belong together, nothing is checked then.
func Check(ctx context.Context, files []File, o Options) (*Report, error) {
	c := &checker{
		options: o, report: &Report{Findings: []Finding{}, Allowed: []Finding{}},
		missing: map[string]bool{}, named: map[string]bool{}, seen: map[place]bool{}, texts: map[textKey]*imageText{}, origins: map[string]func(int) string{},
	}
	c.images, c.nodes = catalog(o.Lock)
	var errs []error
	for _, f := range files {
		errs = append(errs, c.read(f))
	}
	unreadable := errors.Join(errs...)
	if unreadable != nil && (o.Product != nil || len(c.report.Files) == 0) {
		return nil, unreadable
	}
	c.classes = workload.NewRuntimeClasses(c.objects)
	for n, o := range c.objects {
		if o.Pod != nil {
			c.pods = append(c.pods, newPod(n, o, c.classes))
		}
	}
	c.report.Objects, c.report.Pods = len(c.objects), len(c.pods)
	if !c.canResolve() && len(c.pods) > 0 {
		c.report.Unchecked = "the images were not looked at: there is no lock"
	}
	c.collectTexts()
	if err := c.ask(ctx); err != nil {
		return nil, err
	}
	c.judge()
	c.allow()
	c.sort()
	c.report.named = c.named
	return c.report, unreadable
}

// read adds the objects of a file, and what its comments allow, unless it cannot read all of it.
func (c *checker) read(f File) error {
	objects, err := workload.Read(f.Name, f.Text)
	if err != nil {
		return err
	}
	c.allows = append(c.allows, comments(f, objects, len(c.objects))...)
	c.objects = append(c.objects, objects...)
	c.report.Files = append(c.report.Files, f.Name)
	c.origins[f.Name] = f.Origin
	return nil
}

// judge applies every rule.
func (c *checker) judge() {
	c.duplicates()
	for n := range c.objects {
		c.faults(n)
	}
	for _, p := range c.pods {
		p.check(func(r Rule, what string, path ...any) { c.inPod(p, r, what, path...) })
		for _, ref := range workload.References(p.spec) {
			c.image(p, ref)
		}
		c.kpackTolerations(p)
		c.variables(p)
	}
	for _, t := range c.order {
		c.text(t)
	}
	for _, u := range c.options.Unrendered {
		f := c.newFinding(rule("chart-image-unrendered"), fmt.Sprintf("no case renders %s, so that its digest is not set", u.Reference), u.Pos)
		f.Path = u.Path
		c.add(f, -1, u.Reference)
	}
	if !c.options.chart {
		c.values()
		c.unused()
	}
}
