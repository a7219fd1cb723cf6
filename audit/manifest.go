package audit

import (
	"context"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/product/references"
)

// manifest reads the images that a manifest names; "-" is standard input.
func (r Reader) manifest(ctx context.Context, path string) ([]lint.Index, []lint.Finding, error) {
	files, err := lint.ReadFiles(ctx, []string{path}, nil)
	if err != nil {
		return nil, nil, err
	}
	return r.rendered(ctx, []lint.Rendered{{File: files[0]}}, "")
}

// rendered reads the images that manifests name, in pods and texts.
func (r Reader) rendered(ctx context.Context, list []lint.Rendered, of string) ([]lint.Index, []lint.Finding, error) {
	var manifests []references.Manifest
	for _, m := range list {
		manifests = append(manifests, references.Manifest{
			File: m.Name, Text: m.Text, Origin: m.Origin, Chart: of, Case: m.Case,
		})
	}
	named, err := references.Find(&product.Product{}, manifests)
	if err != nil {
		return nil, nil, err
	}
	var all []lint.Index
	var refs []name.Reference
	for _, i := range named.Images {
		ref, err := name.ParseReference(i.Reference)
		if err != nil {
			continue // references.Find takes none
		}
		i.Pos.Column = max(i.Pos.Column, 1)
		all, refs = append(all, lint.Index{Name: i.Reference, Pos: i.Pos, InManifest: true}), append(refs, ref)
	}
	if all, err = r.named(ctx, all, refs); err != nil {
		return nil, nil, err
	}
	platforms := map[string][]platform.Platform{}
	for _, i := range all {
		if has := i.Platforms(); len(has) > 0 {
			platforms[i.Name] = has
		}
	}
	found, err := lint.CheckPods(list, platforms, r.Hosts)
	return all, found, err
}
