package run

import (
	"context"
	"errors"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/platform"
)

// ErrReported is a failure whose cause is in the report.
var ErrReported = errors.New("reported")

// Evaluation is what a RUN needs of the evaluation of its file.
type Evaluation struct {
	Check, Snapshot bool              // as in the input of package dockerfile
	Platform        platform.Platform // of the image
	Compiler        Compiler
	Archives        *tree.Archives
	// files returns those of a stage, a context or an image, for a mount; the build context where
	// from is empty.
	Files func(ctx context.Context, from, source string) (tree.Files, error)
	// Fetch downloads a file; in a check it returns the digest alone.
	Fetch func(ctx context.Context, url string, digest v1.Hash) (layer.Content, error)
	Note  func(at []parser.Range, word string, err error) // on what a snapshot cannot do
}
