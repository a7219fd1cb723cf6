package bundle

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

// WriteTable writes the contents for a person: a line about the bundle, a line per image, how
// many referrers of each kind it has, which JSON lists, and the omitted images. The size of an
// image counts its layers that are in the bundle. The next column is how much of that other
// images share.
func (c *Contents) WriteTable(w io.Writer) error {
	var b bytes.Buffer
	c.writeTitle(&b)
	t := output.NewTable(&b, "IMAGE\tPLATFORMS\tSIZE\tSHARED\tDIGEST")
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
		t.Row("%s\t%s\t%s\t%s\t%s", i.Name, strings.Join(platforms, " "), progress.Size(i.size()), shared,
			i.Digest())
	}
	t.Flush() //nolint:errcheck // a buffer has no errors
	output.Fprintf(&b, "%s, %d layers, %s%s\n", c.number(), c.Layers, progress.Size(c.LayerBytes), sharing)
	for _, i := range c.Images {
		count := map[string]int{}
		for _, r := range i.Referrers {
			count[r.describe()]++
		}
		for _, kind := range slices.Sorted(maps.Keys(count)) {
			output.Fprintf(&b, "with %s: %d %s\n", i.Name, count[kind], kind)
		}
	}
	for _, i := range c.Images {
		if !i.Fallback.IsZero() {
			output.Fprintf(&b, "fallback: %s: has no %s; such a node runs %s\n", i.Name, i.Fallback,
				i.Included()[0].Platform)
		}
	}
	for _, o := range c.Omitted {
		output.Fprintf(&b, "omitted: %s: %s\n", o.Name, o.Reason)
	}
	if c.Note != "" {
		output.Fprintf(&b, "note: %s\n", c.Note)
	}
	_, err := b.WriteTo(w)
	return err
}

// writeTitle writes what the bundle is.
func (c *Contents) writeTitle(b *bytes.Buffer) {
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
	output.Fprintf(b, "%s %s for %s%s\n", c.Product, c.Version, c.Platforms(), flags)
	if len(c.Groups) > 0 {
		output.Fprintf(b, "groups: %s\n", strings.Join(c.Groups, ", "))
	}
	if c.Needs != nil {
		output.Fprintf(b, "sparse: %s\n", c.Needs)
	}
	if d := c.Delta; d != nil {
		output.Fprintf(b, "a delta on %s of version %s, which has %d further layers, %s; it makes %s, %s\n",
			d.Base.File, d.Base.Version, len(d.Lacking), progress.Size(d.Bytes), d.Bundle, progress.Size(d.Size))
	}
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

// WriteTable writes a line about a bundle that was made.
func (f *File) WriteTable(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %d images, %s, sha256 %s\n", f.Path, len(f.Contents.Images), progress.Size(f.Size),
		f.SHA256)
	return err
}

// WriteTable writes the extracted image and its path.
func (x *Extracted) WriteTable(w io.Writer) error {
	what := x.Name
	if !x.Platform.IsZero() {
		what += " for " + x.Platform.String()
	}
	if x.Referrers > 0 {
		what += fmt.Sprintf(" and %d referrers", x.Referrers)
	}
	_, err := fmt.Fprintf(w, "%s: %s of %s, %s\n", x.Path, x.Format, what, x.Digest)
	return err
}
