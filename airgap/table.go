package airgap

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

// WriteTable writes the contents for a person: what the bundle is, a line per image, and what was
// left out. A size counts the layers of the image that are in the bundle; those that images share
// count for each, and the column beside it says how much that is.
func (c *Contents) WriteTable(w io.Writer) error {
	whole := "all platforms"
	if !c.Platform.IsZero() {
		whole = c.Platform.String()
	}
	var flags string
	if c.Snapshot {
		flags += ", snapshot"
	}
	if c.StandIn {
		flags += ", on stand-in bases: for tests only"
	}
	if c.Volume != "" {
		flags += ", volume " + c.Volume
	}
	output.Fprintf(w, "%s %s for %s%s\n", c.Product, c.Version, whole, flags)
	if d := c.Delta; d != nil {
		output.Fprintf(w, "a delta on %s of version %s, which has %d further layers, %s; it makes %s, %s\n",
			d.Base.File, d.Base.Version, len(d.Lacking), progress.Size(d.Bytes), d.Bundle, progress.Size(d.Size))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tPLATFORMS\tSIZE\tSHARED\tDIGEST")
	var sharing string
	for _, i := range c.Images {
		var platforms []string
		for _, ch := range i.Children {
			platforms = append(platforms, ch.Platform.String())
		}
		shared := "-"
		if i.SharedBytes > 0 {
			shared, sharing = progress.Size(i.SharedBytes), ": those that images share count once"
		}
		output.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", i.Name, strings.Join(platforms, " "), progress.Size(i.size()), shared, i.Digest)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := output.Fprintf(w, "%d images, %d layers, %s%s\n", len(c.Images), c.Layers, progress.Size(c.LayerBytes), sharing)
	for _, i := range c.Images {
		for _, r := range i.Referrers {
			if err == nil {
				_, err = output.Fprintf(w, "with %s: %s, %s\n", i.Name, r.what(), r.Digest)
			}
		}
	}
	for _, i := range c.Images {
		if err == nil && !i.Fallback.IsZero() {
			_, err = output.Fprintf(w, "fallback: %s: has no %s; such a node runs %s\n", i.Name, i.Fallback, i.Children[0].Platform)
		}
	}
	for _, o := range c.LeftOut {
		if err == nil {
			_, err = output.Fprintf(w, "left out: %s: %s\n", o.Name, o.Reason)
		}
	}
	if c.Note != "" && err == nil {
		_, err = output.Fprintf(w, "note: %s\n", c.Note)
	}
	return err
}

// what is the type of an artifact and what else it is about than the image.
func (r Referrer) what() string {
	s := r.ArtifactType
	if r.Tag != "" {
		s += " by cosign's tag"
	}
	if r.Subject != (v1.Hash{}) {
		s += " about " + r.Subject.String()
	}
	return s
}
