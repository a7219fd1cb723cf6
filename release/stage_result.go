package release

import (
	"fmt"
	"io"
	"text/tabwriter"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/plainjson"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
)

// StageResult is what a stage has made: a table of images, or as JSON the file that it has
// written.
type StageResult struct {
	images []imageRow
	file   any
}

type writer interface{ Write(path string) error }

// imageRow is an image in a [StageResult].
type imageRow struct {
	name     string
	also     []string // its other names
	digest   v1.Hash  // zero if it has no index yet
	children []lock.Child
}

// MarshalJSON encodes the file.
func (r *StageResult) MarshalJSON() ([]byte, error) { return plainjson.Line(r.file) }

// WriteTable writes a line for each name of an image, and for each platform.
func (r *StageResult) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tPLATFORM\tSIZE\tDIGEST")
	for _, i := range r.images {
		digest := ""
		if i.digest != (v1.Hash{}) {
			digest = i.digest.String()
		}
		fmt.Fprintf(t, "%s\t\t\t%s\n", i.name, digest)
		for _, name := range i.also {
			fmt.Fprintf(t, "%s\t\t\t\n", name)
		}
		for _, c := range i.children {
			fmt.Fprintf(t, "\t%s\t%s\t%s\n", c.Platform, progress.Size(c.LayerBytes), c.Digest)
		}
	}
	return t.Flush()
}

// finish writes the file of a stage, and removes the results of later stages and of earlier runs,
// except for the files to keep.
func (s *Stage) finish(v writer, name string, images []imageRow, keep ...string) (*StageResult, error) {
	if err := v.Write(s.path(name)); err != nil {
		return nil, err
	}
	if err := Supersede(s.Out, append(keep, name)...); err != nil {
		return nil, err
	}
	return &StageResult{images, v}, Settle(s.Out, s.Product.Name)
}
