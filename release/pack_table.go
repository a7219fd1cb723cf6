package release

import (
	"io"
	"path/filepath"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lint"
)

// Packed is the printed result of packing bundles.
type Packed struct {
	Bundles []bundle.File `json:"bundles"`
	// Findings are warnings and notes about images.
	Findings []lint.Finding `json:"findings,omitempty"`
}

// WriteTable writes a line for each bundle, what it omits, and the findings in the images.
func (p Packed) WriteTable(w io.Writer) error {
	t := output.NewTable(w, "BUNDLE\tIMAGES\tSIZE\tSHA256")
	for _, b := range p.Bundles {
		for _, a := range b.Archives() {
			t.Row("%s\t%d\t%s\t%s", filepath.Base(a.Path), len(b.Contents.Images), progress.Size(a.Size),
				a.SHA256)
		}
	}
	for _, b := range p.Bundles {
		for _, left := range b.Contents.Omitted {
			t.Row("%s\tomits %s: %s", filepath.Base(b.Path), left.Name, left.Reason)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeFindings(w, p.Findings)
}
