// Package render makes release.yaml: what an operator applies to a cluster, every image in it
// pinned by digest.
//
// The templates of slipway.yaml go through ytt (https://carvel.dev/ytt), which is linked in; a
// YAML file without ytt's annotations is a template too and comes out as it is. Their data values
// are those of slipway.yaml, checked against the schema that the templates bring. Then the
// environment variables of slipway.yaml are put in, images of images.txt that a template names by
// their tag get their digest, the documents are sorted so that "kubectl apply -f" meets each
// after what it needs, and all of them are checked against the lock (see [Check]): a mistake that
// a cluster would report late, or never, ends the release here.
//
// The bytes depend on the templates, slipway.yaml and the lock only.
package render

import (
	"context"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// Manifest is a rendered release.yaml.
type Manifest struct {
	Text   []byte
	Values map[string]any // release.values as the templates got them

	origins map[int]string
}

// Origin returns the place that a line of the text was rendered from, the first line being 1: a
// line of a template, or slipway.yaml. It is "" if it is not known.
func (m *Manifest) Origin(line int) string { return m.origins[line] }

// Options say how a release is rendered.
type Options struct {
	Progress *progress.Printer // gets ytt's warnings; nil is quiet
}

// Render returns release.yaml. A template that ytt refuses, a value that the templates' schema does not know, a workload or container that
// release.env names and no template makes, and every finding of [Check] is an error.
func Render(ctx context.Context, p *product.Product, l *lock.Lock, o Options) (*Manifest, error) {
	defer progress.Doing("rendering the templates of " + p.Name)()
	files, err := templates(ctx, p)
	if err != nil {
		return nil, err
	}
	values, err := expandValues(p, l)
	if err != nil {
		return nil, err
	}
	docs, err := evaluate(p, files, values, o)
	if err != nil {
		return nil, err
	}
	if err := setEnv(docs, p, l); err != nil {
		return nil, err
	}
	pin(docs, l)
	sortDocuments(docs)
	return manifest(l, docs, values)
}
