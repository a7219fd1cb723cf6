package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
)

// Floating is a floating tag that is to name an image, which its repository has by digest.
type Floating struct {
	Ref  name.Tag
	Tree *oci.Tree // as in [Move]
	imagetag.Stamp
}

// Decision is whether a floating tag moves.
type Decision struct {
	Move
	// Kept is why the tag stays, empty if the tag is to move, or names the image already.
	Kept string
}

// Decide decides by a rule whether a floating tag moves from what it names now to the image that
// it is to name, and why.
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
	err := Each(ctx, c, list, func(ctx context.Context, n int, f Floating) error {
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

// Move is a tag that is to name an image, which its repository has by digest.
type Move struct {
	Ref name.Tag
	// Tree is the image. Only its own document is put.
	Tree *oci.Tree
	// From is what the tag named when the move was decided; zero if the tag did not exist.
	From v1.Hash
}

// Move moves tags, asks for each of them afterwards, as [Client.Push] does, and reports for each
// whether it was moved. One that names its image already is left alone; one that names neither
// that nor From is an error, since another client has moved it. Every tag is tried; the error has
// all that failed.
func (c *Client) Move(ctx context.Context, list []Move) (moved []bool, err error) {
	moved, errs := make([]bool, len(list)), make([]error, len(list))
	err = Each(ctx, c, list, func(ctx context.Context, n int, m Move) error {
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

// Current is what a tag names, or is to name.
type Current struct {
	Digest v1.Hash // zero if the tag does not exist
	imagetag.Stamp
}

// Current asks the registry what a tag names. The version and the time are those of the
// annotations of the image, or else of its first manifest, or else of the labels in the
// configuration of that. A document that the registry lacks or that is malformed states nothing.
func (c *Client) Current(ctx context.Context, ref name.Tag) (Current, error) {
	top, err := c.Get(ctx, ref)
	now := Current{}
	if err == nil {
		now.Digest = top.Digest
		err = c.stamp(ctx, ref.Context(), &now.Stamp, top.Descriptor, top.Manifest)
	}
	if err != nil && !absent(err) {
		return Current{}, fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
	}
	return now, nil
}

// stamp completes s with what a document states.
func (c *Client) stamp(ctx context.Context, repo name.Repository, s *imagetag.Stamp, d v1.Descriptor,
	raw []byte,
) error {
	t, err := oci.Parse(v1.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}, raw)
	if err != nil {
		return nil //nolint:nilerr // a third-party artifact, of any kind
	}
	if s.Take(t.Annotations) {
		return nil
	}
	if at := slices.IndexFunc(t.Children, func(c *oci.Tree) bool { return !oci.IsAttestation(c.Desc) }); at >= 0 {
		child := t.Children[at].Desc
		if child.MediaType.IsIndex() {
			return nil
		}
		got, err := c.Get(ctx, repo.Digest(child.Digest.String()))
		if err != nil {
			return err
		}
		return c.stamp(ctx, repo, s, child, got.Manifest)
	}
	if t.Config == nil {
		return nil
	}
	var failed error // to read, other than to understand
	config, err := t.ReadConfig(func(d v1.Descriptor) (raw []byte, err error) {
		raw, failed = c.Configs(ctx, repo)(d)
		return raw, failed
	})
	if err != nil {
		return failed
	}
	s.Take(config.Config.Labels)
	return nil
}

// StampOf returns what the annotations of an image state.
func StampOf(t *oci.Tree) (s imagetag.Stamp) {
	s.Take(t.Annotations)
	return s
}
