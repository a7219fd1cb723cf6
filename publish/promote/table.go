package promote

import (
	"fmt"
	"io"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

// WriteTable writes a line for each image, chart and floating tag, and what was renamed.
func (p *Promoted) WriteTable(w io.Writer) error {
	t := output.NewTable(w, "IMAGE\tDIGEST\t")
	for _, d := range p.Destinations {
		for _, i := range d.Images {
			t.Row("%s\t%s\t%s", i.Target, i.Digest, i.note())
		}
		for _, c := range d.Charts {
			t.Row("%s\t%s\t%s", c.Target, c.Digest, c.note())
		}
		for _, f := range d.FloatingTags {
			note := "kept: " + f.Reason
			if f.Moved {
				note = "moved: " + f.Reason
			}
			t.Row("%s\t%s\t%s", f.Reference, f.Digest, note)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, d := range p.Destinations {
		for _, o := range d.OmittedReferrers {
			output.Fprintf(w, "omitted: %s\n", o)
		}
		d.writeCharts(w)
		fmt.Fprintf(w, "%s: %d images and %d artifacts about them, %s sent in %d blobs\n", d.To,
			len(d.Images), d.Referrers, progress.Size(d.Bytes), d.Blobs)
		if r := d.Release; r != nil {
			for _, u := range r.Untouched {
				fmt.Fprintf(w, "not renamed: %s\n", u)
			}
			fmt.Fprintf(w, "%s: %d references renamed\n", r.Path, r.References)
		}
	}
	if p.ImagesYAML != "" {
		fmt.Fprintf(w, "%s: has the release\n", p.ImagesYAML)
		writeProofs(w, p.Proofs)
	}
	return nil
}

// writeCharts reports which images the charts at a destination name.
func (d Destination) writeCharts(w io.Writer) {
	for _, c := range d.Charts {
		for _, u := range c.Untouched {
			output.Fprintf(w, "not renamed: chart %s: %s\n", c.Target, u)
		}
		if c.References > 0 {
			output.Fprintf(w, "%s: %d values renamed; the original is %s\n", c.Target, c.References, c.Source)
		} else {
			output.Fprintf(w, "%s: names the images where they were published: "+
				"-charts=rename makes a chart that names those here\n", c.Target)
		}
	}
}

func (i Image) note() string {
	if i.Existed {
		return "existed"
	}
	return ""
}
