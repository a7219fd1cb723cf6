package airgap

import (
	"fmt"
	"io"
	"strings"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

// WriteTable writes a line for each image, chart and floating tag, and the renamed references.
func (p *Pushed) WriteTable(w io.Writer) error {
	t := output.NewTable(w, "IMAGE\tDIGEST\t")
	for _, i := range p.Images {
		_, digest, _ := strings.Cut(i.Reference, "@")
		note := existed(i.Existed)
		if len(i.NotInRegistry) > 0 {
			note = "sparse: lacks " + strings.Join(i.NotInRegistry, " ")
		}
		t.Row("%s\t%s\t%s", i.Target, digest, note)
	}
	for _, c := range p.Charts {
		_, digest, _ := strings.Cut(c.Reference, "@")
		t.Row("%s\t%s\t%s", c.Target, digest, existed(c.Existed))
	}
	for _, i := range p.FloatingTags {
		t.Row("%s\t%s\t%s", i.Target, i.Digest, i.outcome())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, l := range p.Omitted {
		fmt.Fprintf(w, "omitted: %s: %s\n", l.Name, l.Reason)
	}
	for _, o := range p.OmittedReferrers {
		output.Fprintf(w, "omitted: %s\n", o)
	}
	writeRenamedCharts(w, p.Charts)
	_, err := fmt.Fprintf(w, "%d images, %s sent in %d blobs\n", len(p.Images), progress.Size(p.Bytes), p.Blobs)
	if r := p.Release; r != nil && err == nil {
		for _, u := range r.Untouched {
			fmt.Fprintf(w, "not renamed: %s\n", u)
		}
		_, err = fmt.Fprintf(w, "%s: %d references renamed\n", r.Path, r.References)
	}
	return err
}

// writeRenamedCharts reports the renamed images in charts.
func writeRenamedCharts(w io.Writer, charts []PushedChart) {
	for _, c := range charts {
		for _, u := range c.Untouched {
			output.Fprintf(w, "not renamed: chart %s: %s\n", c.Name, u)
		}
		if c.References > 0 {
			output.Fprintf(w, "%s: %d values renamed; the original is %s\n", c.Target, c.References, c.Original)
		}
		if c.File != "" {
			output.Fprintf(w, "%s: written\n", c.File)
		}
	}
}

// outcome describes whether a floating tag has moved.
func (t PushedTag) outcome() string {
	switch {
	case t.Kept != "":
		return "stays: " + t.Kept
	case t.From == t.Digest:
		return "existed"
	case t.From.Hex != "":
		return "moved from " + t.From.String()
	}
	return "new"
}

// existed is the note about what the registry had before.
func existed(had bool) string {
	if had {
		return "existed"
	}
	return ""
}
