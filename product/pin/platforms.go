package pin

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// Replaced is an image that a change pins, with its manifests and those of the image before; Before
// is nil if none was pinned, or its registry has lost it. Configs reads the configurations of
// After. Of changes from and to the same images, it is the first.
type Replaced struct {
	Change        Change
	Pos           yamlfile.Pos
	Before, After *oci.Tree
	Configs       oci.Get
}

// replaced reads the images before and after each change to a digest. An image before that its
// registry no longer has is a warning; a new one that is not complete in its registry is an error.
func (r *Result) replaced(ctx context.Context, c *transfer.Client) error {
	var refs []name.Reference
	compared := map[string]bool{}
	var list []Change
	for _, change := range r.Changes {
		if change.To == "" {
			continue
		}
		before, after, ok := change.digests()
		if key := before.String() + " " + after.String(); !ok || compared[key] {
			continue
		} else {
			compared[key] = true
		}
		list = append(list, change)
		if refs = append(refs, after); before != (name.Digest{}) {
			refs = append(refs, before)
		}
	}
	has, err := c.Trees(ctx, refs)
	if err != nil {
		return err
	}
	var errs yamlfile.Errors
	for _, change := range list {
		before, after, _ := change.digests()
		one := Replaced{
			change, change.place.pos, has[before.String()], has[after.String()],
			network.Listed(c.Configs(ctx, after.Context())),
		}
		switch {
		case one.After == nil:
			errs.At(change.place.pos, "the registry lacks a part of %s, which %s refers to: "+
				"run again once it is complete", after, withoutDigest(change.To))
			continue
		case one.Before == nil && before != (name.Digest{}):
			r.Warnings = append(r.Warnings,
				fmt.Sprintf("%s: the registry no longer has %s: compare the platforms of %s yourself",
					change.Place, before, change.To))
		}
		r.Replaced = append(r.Replaced, one)
	}
	return errs.Err()
}

// digests returns what a change is from and to; before is the zero value if that had no digest, and
// ok is false if both are the same.
func (c Change) digests() (before, after name.Digest, ok bool) {
	to, err := name.NewDigest(c.To)
	if err != nil {
		return before, after, false
	}
	if c.place.digest != "" {
		before = c.place.tag.Context().Digest(c.place.digest)
	}
	after = to.Context().Digest(to.DigestStr())
	return before, after, before != after
}
