package pin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// missingPlatforms compares the platforms of each image before and after a change, and returns a
// line for each image that has lost some, such as one Windows build of several: nodes of that build
// can then no longer run it. A new image that is not complete in its registry is an error.
func missingPlatforms(ctx context.Context, c *transfer.Client, changes []Change) ([]string, error) {
	var refs []name.Digest
	compared := map[string]bool{}
	var list []Change
	for _, change := range changes {
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
	has, err := c.Platforms(ctx, refs)
	if err != nil {
		return nil, err
	}
	warnings := []string{}
	var errs yamlfile.Errors
	for _, change := range list {
		before, after, _ := change.digests()
		old, known := has[before.String()]
		now, complete := has[after.String()]
		switch lost := lacks(now, old); {
		case !complete:
			errs.At(change.place.pos, "the registry lacks a part of %s, which %s refers to: "+
				"run again once it is complete", after, withoutDigest(change.To))
		case !known:
			warnings = append(warnings,
				fmt.Sprintf("%s: the registry no longer has %s: compare the platforms of %s yourself",
					change.Place, before, change.To))
		case len(lost) > 0:
			warnings = append(warnings, fmt.Sprintf("%s: %s lacks %s, which %s has", change.Place,
				change.To, strings.Join(lost, ", "), change.From))
		}
	}
	return warnings, errs.Err()
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

// lacks lists the platforms of old that now has no image for; revisions of Windows do not count.
func lacks(now, old []platform.Platform) []string {
	var lost []string
	for _, p := range old {
		if !slices.ContainsFunc(now, func(n platform.Platform) bool { return platform.Same(n, p) }) &&
			!slices.Contains(lost, p.String()) {
			lost = append(lost, p.String())
		}
	}
	return lost
}
