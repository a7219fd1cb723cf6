package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/oci"
)

// Move is a tag that is to name an image, which its repository has by digest.
type Move struct {
	Ref name.Tag
	// Tree is the image. Only its own document is put.
	Tree *oci.Tree
	// From is what the tag named when the move was decided; zero if the tag did not exist.
	From v1.Hash
}

// Move moves tags, and asks for each of them afterwards, as [Client.Push] does. It reports for each
// whether it was moved. One that names its image already is left alone; one that names neither
// that nor From is an error, since another client has moved it. Every tag is tried; the error has
// all that failed.
func (c *Client) Move(ctx context.Context, list []Move) (moved []bool, err error) {
	moved, errs := make([]bool, len(list)), make([]error, len(list))
	err = each(ctx, c.o.Jobs, list, func(ctx context.Context, n int, m Move) error {
		moved[n], errs[n] = c.move(ctx, m)
		return context.Cause(ctx)
	})
	if err != nil {
		return moved, err
	}
	return moved, errors.Join(errs...)
}

func (c *Client) move(ctx context.Context, m Move) (bool, error) {
	repo := m.Ref.Context()
	if _, err := c.Session(ctx, repo, repo.Scope(transport.PushScope)); err != nil {
		return false, fmt.Errorf("connecting to %s: %w", repo, err)
	}
	var have v1.Hash
	d, err := c.Lookup(ctx, m.Ref)
	if err != nil {
		return false, err
	}
	if d != nil {
		have = d.Digest
	}
	switch {
	case have == m.Tree.Desc.Digest:
		return false, nil
	case have != m.From:
		return false, fmt.Errorf("moving %s: it is %s now, and was %s a moment ago: "+
			"another run moves it; run again to see whether it is to be moved",
			m.Ref, orNothing(have), orNothing(m.From))
	}
	document := put{m.Tree, m.Ref, &target{}}
	if err := c.put(ctx, 0, document); err != nil {
		return false, fmt.Errorf("moving a floating tag: %w: everything else is complete; run again once the registry "+
			"allows it, or leave these tags where they are with -floating=keep", err)
	}
	return true, c.verify(ctx, 0, document)
}

func orNothing(h v1.Hash) string {
	if h == (v1.Hash{}) {
		return "no image"
	}
	return h.String()
}
