package transfer

import (
	"context"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/oci"
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

// Decide decides by a rule whether a floating tag moves from what it names now to the image that it
// is to name, and why.
func Decide(rule string, now, want Current) (moves bool, reason string) {
	none := now.Digest == v1.Hash{}
	switch {
	case now.Digest == want.Digest && !none:
		return false, "it names this image already"
	case rule == imagetag.RuleKeep:
		return false, "-floating=" + rule
	case none:
		return true, "it is new"
	case rule == imagetag.RuleMove:
		return true, "-floating=" + rule
	}
	return imagetag.Forward(now.Stamp, want.Stamp)
}

// Decide asks what each of the tags names, and decides by a rule whether it moves. With
// [imagetag.RuleKeep] it asks nothing.
func (c *Client) Decide(ctx context.Context, rule string, list []Floating) ([]Decision, error) {
	all := make([]Decision, len(list))
	err := each(ctx, c.o.Jobs, list, func(ctx context.Context, n int, f Floating) error {
		var now Current
		if rule != imagetag.RuleKeep {
			var err error
			if now, err = c.Current(ctx, f.Ref); err != nil {
				return err
			}
		}
		want := Current{f.Tree.Desc.Digest, f.Stamp}
		all[n].Move = Move{Ref: f.Ref, Tree: f.Tree, From: now.Digest}
		if moves, reason := Decide(rule, now, want); !moves && now.Digest != want.Digest {
			all[n].Kept = reason
		}
		return nil
	})
	return all, err
}
