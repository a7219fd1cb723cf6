package transfer

import (
	"context"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/oci"
)

// Rules that say when a floating tag moves. Any other text means MoveForward.
const (
	MoveForward = "forward" // to a newer image only, by [imagetag.Forward]
	MoveAlways  = "move"    // whatever it names
	MoveNever   = "keep"
)

// Floating is a floating tag that is to name an image, which its repository has by digest.
type Floating struct {
	Ref  name.Tag
	Tree *oci.Tree // as in [Move]
	imagetag.Stamp
}

// Decision is what becomes of a floating tag.
type Decision struct {
	Move
	// Kept is why the tag stays. It is empty if the tag is to move, or names the image already.
	Kept string
}

// Decide asks what each of the tags names, and decides by a rule whether it moves. With MoveNever it
// asks nothing.
func (c *Client) Decide(ctx context.Context, rule string, list []Floating) ([]Decision, error) {
	all := make([]Decision, len(list))
	err := each(ctx, c.o.Jobs, list, func(ctx context.Context, n int, f Floating) error {
		all[n] = Decision{Move: Move{Ref: f.Ref, Tree: f.Tree}}
		if rule == MoveNever {
			all[n].Kept = "-floating=" + rule
			return nil
		}
		have, err := c.Current(ctx, f.Ref)
		if err != nil {
			return err
		}
		all[n].From = have.Digest
		if have.Digest == (v1.Hash{}) || have.Digest == f.Tree.Desc.Digest || rule == MoveAlways {
			return nil
		}
		if ok, reason := imagetag.Forward(have.Stamp, f.Stamp); !ok {
			all[n].Kept = reason
		}
		return nil
	})
	return all, err
}
