package render

import (
	"context"
	"errors"
	"fmt"

	"carvel.dev/ytt/pkg/filepos"
	"carvel.dev/ytt/pkg/yamlmeta"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/kustomize"
	"github.com/slipway-dev/slipway/render/renderer"
)

// kustomizations builds the kustomizations of slipway.yaml, and prints their warnings.
func kustomizations(ctx context.Context, p *product.Product, o Options) ([]document, error) {
	warn := func(at yamlfile.Pos, text string) { o.Progress.Printf("%s: %s", at, text) }
	var docs []document
	var errs []error
	for _, k := range p.Release.Kustomize {
		in, err := find(ctx, p, k)
		if err != nil {
			return nil, err
		}
		made, err := kustomize.Build(ctx, in.tree, in.path, kustomize.Options{Name: in.name, At: k.Pos, Warn: warn})
		if err != nil {
			errs = append(errs, err)
		}
		if renderer.Exceeded(err) {
			break // the next may, too
		}
		for _, o := range made {
			found, err := read(in.name(in.path), o.Text, func(line int) yamlfile.Pos { return o.Places[line] })
			if err != nil {
				return nil, err
			}
			docs = append(docs, found...)
		}
	}
	return docs, errors.Join(errs...)
}

// read reads the objects of a text that another program has made. place returns where a line of
// the text is from.
func read(name string, text []byte, place func(line int) yamlfile.Pos) ([]document, error) {
	set, err := parse(name, text, yamlmeta.DocSetOpts{AssociatedName: name})
	if err != nil {
		return nil, fmt.Errorf("reading what %s makes: %w", name, err)
	}
	done := map[*filepos.Position]bool{} // nodes may share one
	at := func(p *filepos.Position) {
		if !p.IsKnown() || done[p] {
			return
		}
		done[p] = true
		if from := place(p.LineNum()); from.File != "" {
			*p = *filepos.NewPositionInFile(max(from.Line, 1), from.File)
		}
	}
	for _, d := range set.Items {
		replacePositions(d, at)
	}
	return documents(set, nil)
}

func replacePositions(v any, change func(*filepos.Position)) {
	if n, ok := v.(yamlmeta.Node); ok {
		change(n.GetPosition())
		for _, below := range n.GetValues() {
			replacePositions(below, change)
		}
	}
}
