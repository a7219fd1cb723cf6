package audit

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/lint"
)

// NoBefore is the value of [Reader.Before] that compares with nothing.
const NoBefore = "none"

// before adds the image that another one follows: of an index what it lists, without the
// manifests. The error is about one that was given; of one that the tags tell, what could not be
// read is a gap.
func (r Reader) before(ctx context.Context, ref name.Reference, of *lint.Index) error {
	earlier := r.earlier(ctx, ref)
	if earlier == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	i, err := r.listing(ctx, earlier)
	if err != nil && r.Before != "" {
		return fmt.Errorf("reading %s: %w", earlier, network.Clean(err))
	}
	switch outcome.Of(err) {
	case outcome.There:
		of.Before = i
	case outcome.Absent, outcome.Broken: // nodes cannot run it
	case outcome.Unread, outcome.Unasked:
		of.Gaps = append(of.Gaps, lint.Gap{
			What: "the version before, " + earlier.String(), Read: outcome.Unread, Cause: network.Clean(err),
		})
	}
	return ctx.Err()
}

// listing reads an image without the manifests that it lists.
func (r Reader) listing(ctx context.Context, ref name.Reference) (*lint.Index, error) {
	top, err := r.top(ctx, ref)
	if err != nil {
		return nil, err
	}
	t, err := oci.Parse(top.Descriptor, top.Manifest)
	if err != nil {
		return nil, err
	}
	i := &lint.Index{Name: ref.String(), Desc: t.Desc, Single: !t.Desc.MediaType.IsIndex()}
	if i.Single {
		i.Entries = []lint.Entry{entry(t, r.documents(ctx, ref.Context()))}
	}
	for _, c := range t.Children {
		i.Entries = append(i.Entries, lint.Entry{Desc: c.Desc})
	}
	return i, nil
}

// earlier returns the previous image: the given one, or the one of the previous tag.
func (r Reader) earlier(ctx context.Context, ref name.Reference) name.Reference {
	switch r.Before {
	case NoBefore:
		return nil
	case "":
	default:
		given, err := name.ParseReference(r.Before)
		if err != nil {
			return nil // the caller has checked it
		}
		return given
	}
	tag, ok := ref.(name.Tag)
	if !ok {
		return nil
	}
	page, err := r.memory.tags.Of(ctx, r.Client, tag.Context())
	if err != nil {
		return nil // neighbors reports it
	}
	if before := imagetag.Before(tag.TagStr(), page.Tags); before != "" {
		return tag.Context().Tag(before)
	}
	return nil
}
