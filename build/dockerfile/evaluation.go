package dockerfile

import (
	"context"
	"errors"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/platform"
)

// errReported is a failure whose cause is in the report.
var errReported = errors.New("reported")

// evaluation is what a RUN needs of the evaluation of its file.
type evaluation struct {
	check, snapshot bool              // as in the input of package dockerfile
	platform        platform.Platform // of the image
	compiler        Compiler
	archives        *archives
	// files returns those of a stage, a context or an image, for a mount; the build context where
	// from is empty.
	files func(ctx context.Context, from, source string) (files, error)
	fetch func(ctx context.Context, url string, digest v1.Hash) (layer.Content, error)
	note  func(at []parser.Range, word string, err error) // on what a snapshot cannot do
}
