package release

import (
	"io"
	"strings"

	"github.com/slipway-dev/slipway/internal/output"
)

// ImageList is a printed list of images.
type ImageList struct {
	Images []NeededImage `json:"images"`
}

// WriteTable writes a line for each place that names an image.
func (l ImageList) WriteTable(w io.Writer) error {
	t := output.NewTable(w, "IMAGE\tBUNDLES\tFROM")
	for _, i := range l.Images {
		bundles := strings.Join(i.OS, ", ")
		if len(i.Groups) > 0 {
			bundles += ": " + strings.Join(i.Groups, ", ")
		}
		if i.Omitted != "" {
			bundles = "none: " + i.Omitted
		}
		for n, place := range i.From {
			if n > 0 {
				i.Reference, bundles = "", ""
			}
			t.Row("%s\t%s\t%s", i.Reference, bundles, place)
		}
	}
	return t.Flush()
}
