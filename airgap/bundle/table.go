package bundle

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

// WriteTable writes the contents for a person: a line about the bundle, a line per image, and
// what was omitted. The size of an image counts its layers that are in the bundle. The next
// column is how much of that other images share.
func (c *Contents) WriteTable(w io.Writer) error {
	var flags string
	if c.Snapshot {
		flags += ", snapshot"
	}
	if c.StubBases {
		flags += ", on stub bases: for tests only"
	}
	if c.Volume != "" {
		flags += ", volume " + c.Volume
	}
	output.Fprintf(w, "%s %s for %s%s\n", c.Product, c.Version, c.platforms(), flags)
	if d := c.Delta; d != nil {
		output.Fprintf(w, "a delta on %s of version %s, which has %d further layers, %s; it makes %s, %s\n",
			d.Base.File, d.Base.Version, len(d.Lacking), progress.Size(d.Bytes), d.Bundle, progress.Size(d.Size))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tPLATFORMS\tSIZE\tSHARED\tDIGEST")
	var sharing string
	for _, i := range c.Images {
		var platforms []string
		for _, m := range i.Included() {
			platforms = append(platforms, m.Platform.String())
		}
		if i.Chart {
			platforms = []string{"chart"}
		}
		shared := "-"
		if i.SharedBytes > 0 {
			shared, sharing = progress.Size(i.SharedBytes), ": those that images share count once"
		}
		output.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", i.Name, strings.Join(platforms, " "), progress.Size(i.size()), shared, i.Digest())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := output.Fprintf(w, "%s, %d layers, %s%s\n", c.number(), c.Layers, progress.Size(c.LayerBytes), sharing)
	for _, i := range c.Images {
		for _, r := range i.Referrers {
			if err == nil {
				_, err = output.Fprintf(w, "with %s: %s, %s\n", i.Name, r.describe(), r.Digest)
			}
		}
	}
	for _, i := range c.Images {
		if err == nil && !i.Fallback.IsZero() {
			_, err = output.Fprintf(w, "fallback: %s: has no %s; such a node runs %s\n", i.Name, i.Fallback, i.Included()[0].Platform)
		}
	}
	for _, o := range c.Omitted {
		if err == nil {
			_, err = output.Fprintf(w, "omitted: %s: %s\n", o.Name, o.Reason)
		}
	}
	if c.Note != "" && err == nil {
		_, err = output.Fprintf(w, "note: %s\n", c.Note)
	}
	return err
}

// number states how many images and charts there are.
func (c *Contents) number() string {
	images, charts := c.Count()
	switch charts {
	case 0:
		return fmt.Sprintf("%d images", images)
	case 1:
		return fmt.Sprintf("%d images, 1 chart", images)
	}
	return fmt.Sprintf("%d images, %d charts", images, charts)
}
