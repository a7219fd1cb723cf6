package audit

import (
	"context"
	"fmt"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// Fix says where a corrected index goes.
type Fix struct {
	// To is repository:tag, or a repository with its digest for an index without a tag.
	To name.Repository
	// Tag is "" for none.
	Tag string
	// Move moves a tag that names another image.
	Move bool
	// DryRun pushes nothing.
	DryRun bool
	// Judge says by what the index is judged, and which findings are allowed and so not mended.
	Judge lint.IndexOptions
}

// Fixed is what came of a fix.
type Fixed struct {
	Image   string   `json:"image"`  // as it was named
	Before  v1.Hash  `json:"before"` // the digest of the index
	After   v1.Hash  `json:"after"`
	To      string   `json:"to,omitempty"` // the reference that was pushed; empty if nothing was
	Changes []string `json:"changes"`
	// Orphans are referrers of the index before, such as signatures and SBOMs: they are not about
	// the one after it.
	Orphans []string `json:"orphans,omitempty"`
}

// Fix corrects the index of an image in a registry, and pushes it with everything that it lists, by
// digest, and under a tag if f has one. Without a change it pushes nothing. Everything that
// the index lists is read before.
func (r Reader) Fix(ctx context.Context, text string, f Fix) (Fixed, error) {
	if _, err := os.Stat(text); err == nil {
		return Fixed{}, fmt.Errorf("%s is a file: an index is mended where a registry has it: name the image there",
			text)
	}
	ref, err := name.ParseReference(text)
	if err != nil {
		return Fixed{}, fmt.Errorf("%s is not an image reference: write repository:tag", text)
	}
	was, err := r.taken(ctx, f)
	if err != nil {
		return Fixed{}, err
	}
	r.Before = NoBefore
	read, err := r.named(ctx, []lint.Index{{Name: text}}, []name.Reference{ref})
	if err != nil {
		return Fixed{}, err
	}
	i := read[0]
	if i.Raw == nil { // the entry is the image itself
		return Fixed{}, fmt.Errorf("reading %s: %w", text, i.Entries[0].Fault)
	}
	m, err := Mend(i, f.Judge)
	if err != nil {
		return Fixed{}, fmt.Errorf("mending %s: %w", text, err)
	}
	done := Fixed{Image: text, Before: i.Desc.Digest, After: m.Desc.Digest, Changes: m.Changes}
	if done.Orphans, err = r.orphans(ctx, ref.Context().Digest(i.Desc.Digest.String())); err != nil {
		return done, err
	}
	if len(m.Changes) == 0 || f.DryRun {
		return done, nil
	}
	if tag, ok := ref.(name.Tag); ok && f.moves() && tag.Name() == f.To.Tag(f.Tag).Name() {
		was = i.Desc.Digest // only the judged image is replaced
	}
	get := r.Client.Manifests(ctx, ref.Context())
	tree, err := oci.Read(m.Desc, func(d v1.Descriptor) ([]byte, error) {
		if d.Digest == m.Desc.Digest {
			return m.Raw, nil
		}
		return get(d)
	}, oci.Limits{})
	if err != nil {
		return done, fmt.Errorf("reading %s: %w", text, network.Clean(err))
	}
	done.To, err = r.push(ctx, text, transfer.Remote{Repo: ref.Context(), Tree: tree}, f, was)
	return done, err
}

// moves reports whether a tag is moved.
func (f Fix) moves() bool { return f.Tag != "" && f.Move && !f.DryRun }

// taken returns what the tag names that is to be moved, before anything is read; zero for nothing.
func (r Reader) taken(ctx context.Context, f Fix) (v1.Hash, error) {
	if !f.moves() {
		return v1.Hash{}, nil
	}
	tag := f.To.Tag(f.Tag)
	now, err := transfer.New(r.Options).Lookup(ctx, tag)
	if now == nil || err != nil {
		return v1.Hash{}, err
	}
	return now.Digest, nil
}

// push puts an index and what it lists into a repository.
func (r Reader) push(ctx context.Context, text string, from transfer.Remote, f Fix, was v1.Hash) (string, error) {
	client := transfer.New(r.Options)
	source := client.FromRegistry(ctx, []transfer.Remote{from})
	var to name.Reference = f.To.Digest(from.Tree.Desc.Digest.String())
	if f.Tag != "" && !f.Move {
		to = f.To.Tag(f.Tag)
	}
	image := transfer.Image{Name: text, Ref: to, Tree: from.Tree, Bases: from.MountFrom()}
	_, err := client.Push(ctx, []transfer.Image{image}, source, transfer.PushOptions{
		Task: "audit",
		Conflict: func(_ transfer.Image, have v1.Hash) (what, todo string) {
			return fmt.Sprintf("%s is %s already", to, have),
				"name another tag with -to, or move it with -floating=move"
		},
	})
	if err != nil || f.Tag == "" || !f.Move {
		return to.String(), err
	}
	tag := f.To.Tag(f.Tag)
	_, err = client.Move(ctx, []transfer.Move{{Ref: tag, Tree: from.Tree, From: was}})
	return tag.String(), err
}

// orphans lists the referrers of an index.
func (r Reader) orphans(ctx context.Context, of name.Digest) (all []string, err error) {
	h, err := v1.NewHash(of.DigestStr())
	if err != nil {
		return nil, err
	}
	s := &transfer.Subject{Repo: of.Context(), Name: of.String(), Digests: []v1.Hash{h}}
	if err := transfer.New(r.Options).ReadReferrers(ctx, []*transfer.Subject{s}); err != nil {
		return nil, err
	}
	for n, t := range s.Trees {
		all = append(all, fmt.Sprintf("%s (%s)", s.Referrers[n].Descriptor().Digest, t.ArtifactType()))
	}
	return all, ctx.Err()
}
