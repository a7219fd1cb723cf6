package base

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
)

// maxUnsuitable bounds how many newer tags without an image for the platform are passed over.
const maxUnsuitable = 5

// raise looks for a newer tag of the base, locks that, and returns its level: [imagetag.None] where
// the tag stays. A digest behind the tag in slipway.yaml is replaced, too.
func (j *job) raise(ctx context.Context, c *network.Client, level imagetag.Level) (imagetag.Level, error) {
	i := j.image
	if i.Tag == "" || j.only || j.base.Microsoft != "" || level == imagetag.None {
		return imagetag.None, nil
	}
	repo := i.Reference.Context()
	tags, err := c.Tags(ctx, repo)
	if err != nil {
		return imagetag.None, fmt.Errorf("listing the tags of %s: %w", repo, network.Clean(err))
	}
	for n, newer := range imagetag.Newer(i.Tag, tags, level) {
		if n == maxUnsuitable {
			break
		}
		entry, err := j.lockTag(ctx, c, newer.Tag)
		if unfit := (unsuitable{}); errors.As(err, &unfit) {
			j.change.Unsuitable = append(j.change.Unsuitable, newer.Tag+": "+unfit.Error())
			continue
		}
		if err != nil {
			return imagetag.None, err
		}
		j.entry = entry
		before, after := product.Unpinned(i), entry.Reference
		if i.Inline {
			before, after = i.Reference.String(), after+"@"+entry.Digest.String()
		}
		j.raised = &yamlfile.Replacement{Pos: i.Pos, Old: before, New: after}
		return newer.Level, nil
	}
	return imagetag.None, nil
}

// lockTag locks the base at another tag.
func (j *job) lockTag(ctx context.Context, c *network.Client, tag string) (product.LockedBase, error) {
	i := j.image
	repository := strings.TrimSuffix(product.Unpinned(i), ":"+i.Tag) // as slipway.yaml writes it
	i.Tag, i.Inline = tag, false
	i.Reference = i.Reference.Context().Tag(tag)
	entry, _, err := locked(ctx, c, j.base, i)
	entry.Reference = repository + ":" + tag
	return entry, err
}

// unsuitable is the error of an image that has been read and is not for the platform.
type unsuitable struct{ error }
