package pin

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Replaced is an image that a change replaces by another one, with the manifests of both. Of
// changes from and to the same images, it is the first.
type Replaced struct {
	Change        Change
	Pos           yamlfile.Pos
	Before, After *oci.Tree
}

// replaced reads the images before and after each change of a digest. An image before that its
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
		refs = append(refs, before, after)
	}
	has, err := c.Trees(ctx, refs)
	if err != nil {
		return err
	}
	var errs yamlfile.Errors
	for _, change := range list {
		before, after, _ := change.digests()
		one := Replaced{change, change.place.pos, has[before.String()], has[after.String()]}
		switch {
		case one.After == nil:
			errs.At(change.place.pos, "the registry lacks a part of %s, which %s refers to: "+
				"run again once it is complete", after, withoutDigest(change.To))
			continue
		case one.Before == nil:
			r.Warnings = append(r.Warnings,
				fmt.Sprintf("%s: the registry no longer has %s: compare the platforms of %s yourself",
					change.Place, before, change.To))
		}
		r.Replaced = append(r.Replaced, one)
	}
	return errs.Err()
}

// digests returns what a change is from and to; ok is false if it had no digest.
func (c Change) digests() (before, after name.Digest, ok bool) {
	if c.place.digest == "" {
		return before, after, false
	}
	to, err := name.NewDigest(c.To)
	if err != nil {
		return before, after, false
	}
	before, after = c.place.tag.Context().Digest(c.place.digest), to.Context().Digest(to.DigestStr())
	return before, after, before != after
}
