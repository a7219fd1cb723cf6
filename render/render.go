// Package render makes release.yaml, which an operator applies to a cluster.
//
// The templates of slipway.yaml are evaluated by ytt (https://carvel.dev/ytt), which is linked in;
// a YAML file without ytt's annotations is a template, too, and stays as it is. Their data values
// are those of slipway.yaml, checked against the schema of the templates. Kustomizations and Helm
// charts are built by the libraries of these programs. Then render adds the environment variables
// of slipway.yaml, replaces references that mean images of the product by those of the lock, gives
// third-party images that are named by tag their digest from the lock, and sorts the documents so
// that "kubectl apply -f" meets each after those that it needs.
//
// The bytes depend on the templates, slipway.yaml and the lock only. Whether the result is right
// is for package lint to judge; [Manifest.Origin] lets it name the line of a template.
package render

import (
	"context"
	"fmt"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// Manifest is a rendered release.yaml.
type Manifest struct {
	Text   []byte
	Values map[string]any // release.values as the templates got them
	// Unmatched are the entries of release.images that match no reference.
	Unmatched []product.ImageMapping
	// Omitted are lines about files that lie among the templates and give no documents.
	Omitted []string

	origins map[int]string
}

// Origin returns the place that a line of the text was rendered from, the first line being 1: a
// line of a template, or slipway.yaml; "" if it is not known.
func (m *Manifest) Origin(line int) string { return m.origins[line] }

// Options are settings of [Render].
type Options struct {
	Progress *progress.Printer // gets the warnings of ytt and kustomize; nil is quiet
}

// Render returns release.yaml. Errors are a template that ytt refuses, a value that the
// templates' schema lacks, and a workload or container in release.env that no template makes.
func Render(ctx context.Context, p *product.Product, l *lock.Lock, o Options) (*Manifest, error) {
	defer progress.Doing("rendering the templates of " + p.Name)()
	if p.Release.Empty() {
		return nil, fmt.Errorf("no templates to render: name some under release.templates of %s", p.Path)
	}
	values, err := expandValues(p, l)
	if err != nil {
		return nil, err
	}
	var docs []document
	var omitted []string
	for _, from := range []func() ([]document, error){
		func() (docs []document, err error) {
			docs, omitted, err = templates(ctx, p, values, o)
			return docs, err
		},
		func() ([]document, error) { return kustomizations(ctx, p, o) },
		func() ([]document, error) { return helm(ctx, p, l, o) },
	} {
		found, err := from()
		if err != nil {
			return nil, err
		}
		docs = append(docs, found...)
	}
	if err := setEnv(docs, p, l); err != nil {
		return nil, err
	}
	m := newImages(p, l)
	pin(docs, m)
	if err := m.errs.Err(); err != nil {
		return nil, err
	}
	sortDocuments(docs)
	made, err := manifest(l, docs, values)
	if err != nil {
		return nil, err
	}
	made.Unmatched, made.Omitted = m.unmatched(), omitted
	return made, nil
}
