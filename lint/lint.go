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
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/chart"
)

// Remote is an image as its registry has it.
type Remote struct {
	Digest    string // sha256:…
	Platforms []platform.Platform
}

// Options are facts from outside the manifests.
type Options struct {
	// Lock has the images and their platforms; without it, and without Remote, images are not
	// checked.
	Lock *lock.Lock
	// Remote asks registries for images that are not in the lock. The result is by reference,
	// without those that do not exist. nil asks none.
	Remote func(ctx context.Context, refs []name.Reference) (map[string]Remote, error)
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
// lists what cannot be read, with file:line:column; the report returned with it is about the
// other files. With a product, whose manifests belong together, nothing is checked then.
func Check(ctx context.Context, files []File, o Options) (*Report, error) {
	m, unreadable := read(files)
	if unreadable != nil && (o.Product != nil || len(m.files) == 0) {
		return nil, unreadable
	}
	e := m.environment()
	k := newKnown(o)
	texts := m.texts(k, e.images)
	if err := k.ask(ctx, m.pods, texts); err != nil {
		return nil, err
	}
	found := slices.Concat(m.duplicates(), m.faults())
	for _, p := range m.pods {
		found = append(found, p.problems()...)
	}
	found = slices.Concat(found, k.podImages(m.pods), m.kpackTolerations(k.images), k.textImages(texts),
		k.unresolvedImages(m))
	for _, u := range o.Unrendered {
		found = append(found, problem{
			place: place{-1, u.Path, u.Pos}, rule: "chart-image-unrendered", which: u.Reference,
			what: fmt.Sprintf("no case renders %s, so that its digest is not set", u.Reference),
		})
	}
	if o.Product != nil {
		found = append(found, e.problems...)
		if !o.chart {
			found = append(found, k.unused(o.Product)...)
		}
	}
	r := newReport(m.files)
	r.Objects, r.Pods, r.named = len(m.objects), len(m.pods), k.named
	if !k.sources && len(m.pods) > 0 {
		r.Unchecked = "the images were not checked: the lock is missing"
	}
	wrong := r.divide(m.findings(found), m.allows, o)
	r.Findings = append(r.Findings, m.findings(wrong)...)
	r.sort()
	return r, unreadable
}
