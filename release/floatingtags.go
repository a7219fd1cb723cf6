package release

import (
	"fmt"
	"io"
	"text/tabwriter"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
)

// FloatingTag is a floating tag and what it named before the run.
type FloatingTag struct {
	lock.FloatingTag

	From v1.Hash `json:"from,omitzero"`

	here bool // it named the image already
}

// floating returns the rows of an image's floating tags.
func floating(i lock.Image) (all []FloatingTag) {
	for _, t := range i.FloatingTags {
		all = append(all, FloatingTag{t, t.From, t.From == i.Digest})
	}
	return all
}

// writeFloating lists the floating tags. Those of a snapshot exist nowhere.
func (s *Summary) writeFloating(w io.Writer) error {
	if len(s.FloatingTags) == 0 || s.Snapshot {
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FLOATING TAG\tSTATE")
	for _, f := range s.FloatingTags {
		state := "new"
		switch {
		case f.Kept != "":
			state = "stays: " + f.Kept
		case f.here:
			state = "there already"
		case f.From.Hex != "":
			state = "moved from " + f.From.String()
		}
		output.Fprintf(t, "%s:%s\t%s\n", f.Repository, f.Tag, state)
	}
	return t.Flush()
}
