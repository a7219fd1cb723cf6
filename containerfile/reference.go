package containerfile

import (
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// Reference is an image that FROM, or --from of COPY, names and slipway.yaml does not.
type Reference struct {
	Reference name.Reference
	Platform  platform.Platform
	Pos       yamlfile.Pos // of its word in the Dockerfile
}

// refers notes what a release to a registry asks for of an image, and where the image is named.
func (b *builder) refers(at []parser.Range, word string, of base.Base, p platform.Platform) {
	if of.Demand != nil {
		b.demands.Add(at, word, of.Demand)
	}
	if of.Reference != nil {
		line, column := b.report.Position(at, word)
		b.references = append(b.references,
			Reference{of.Reference, p, yamlfile.Pos{File: b.report.File, Line: line, Column: column}})
	}
}
