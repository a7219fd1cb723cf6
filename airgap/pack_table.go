package airgap

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Packed is the printed result of packing bundles.
type Packed struct {
	Bundles []bundle.File `json:"bundles"`
	// MissingBuilds are the Windows builds that third-party images lack.
	MissingBuilds []MissingBuild `json:"missingBuilds,omitempty"`
}

// WriteTable writes a line for each bundle, and what is missing in it.
func (p Packed) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "BUNDLE\tIMAGES\tSIZE\tSHA256")
	for _, b := range p.Bundles {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\n", filepath.Base(b.Path), len(b.Contents.Images), progress.Size(b.Size),
			b.SHA256)
	}
	for _, b := range p.Bundles {
		for _, left := range b.Contents.Omitted {
			fmt.Fprintf(t, "%s\tomits %s: %s\n", filepath.Base(b.Path), left.Name, left.Reason)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return WriteMissingBuilds(w, p.MissingBuilds)
}
