package base

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// LockOptions select what to lock anew. The zero value locks the bases that are not locked, and
// asks no registry about the others.
type LockOptions struct {
	// Update renews the digests of all tags.
	Update bool
	// Newer raises the tags of slipway.yaml. A tag of a base of Microsoft follows from the
	// platform, and stays.
	Newer imagetag.Level
	// References are images that Dockerfiles name and no base of the product is. Their tags are
	// never raised. Those with a digest are looked at, and not locked.
	References []product.BaseImage
}

// Locked is the result of locking the bases of a product.
type Locked struct {
	Entries []product.LockedBase // for bases.lock.yaml, in the order of slipway.yaml
	Changes []Change             // one for each entry, and for each digest of a Dockerfile
	// References are those of slipway.yaml with a newer tag.
	References []yamlfile.Replacement
}

// Change is what locking has found of a base for one platform.
type Change struct {
	// Base is the base's name, or the reference where only a Dockerfile names the image: there
	// Where is the place, as file:line:column.
	Base      string `json:"base"`
	Where     string `json:"where,omitempty"`
	Platform  string `json:"platform"`
	Reference string `json:"reference"` // without a digest, as in bases.lock.yaml
	// From and To are the references with their digests. Where the base was not locked, or as
	// another reference, From is empty, or the reference of slipway.yaml that a newer one replaces.
	From string `json:"from,omitempty"`
	To   string `json:"to"`
	// Why is "not locked", "tag moved", "newer patch", "newer minor" or, for the same image,
	// "version or date recorded"; it is empty where nothing changes.
	Why string `json:"why,omitempty"`
	// nil where it was not locked, or as another reference
	Old *LockedBase `json:"old,omitempty"`
	New LockedBase  `json:"new"`
	// Changed reports whether Old and New differ.
	Changed bool `json:"changed"`
	// Moved is the current digest of the tag, if slipway.yaml pins another.
	Moved string `json:"moved,omitempty"`
	// Unsuitable lists newer tags that lack an image for the platform, each with the reason.
	Unsuitable []string `json:"unsuitable,omitempty"`
	// Raised is the level of the newer tag that slipway.yaml gets; [imagetag.None] if its tag
	// stays.
	Raised imagetag.Level `json:"-"`
}

// LockedBase is what a change is from, or to.
type LockedBase struct {
	Digest    string `json:"digest"`
	OSVersion string `json:"osVersion,omitempty"`
	Created   string `json:"created,omitempty"` // a day: 2025-01-16
}

// job is one base for one platform.
type job struct {
	base   product.Base
	image  product.BaseImage
	entry  product.LockedBase
	change Change
	raised *yamlfile.Replacement
	only   bool // a Dockerfile names the image, and slipway.yaml does not
}

// Lock resolves the bases of p in their registries: tags to their current digests, digests in
// slipway.yaml as they are. All failures are reported.
func Lock(ctx context.Context, p *product.Product, c *network.Client, o LockOptions) (*Locked, error) {
	var jobs []*job
	for _, b := range p.Bases {
		for _, i := range b.Images {
			jobs = append(jobs, &job{base: b, image: i})
		}
	}
	for _, i := range o.References {
		jobs = append(jobs, &job{
			base: product.Base{Name: product.Unpinned(i)}, image: i, only: true,
			change: Change{Where: i.Pos.String()},
		})
	}
	failures := make([]error, len(jobs))
	var g errgroup.Group
	g.SetLimit(8)
	for n, j := range jobs {
		g.Go(func() error {
			if err := j.lock(ctx, c, o); err != nil {
				failures[n] = fmt.Errorf("%s: base %s for %s: %w", j.image.Pos, j.base.Name, j.image.Platform.String(),
					err)
			}
			return nil
		})
	}
	g.Wait() //nolint:errcheck // failures are kept by index: every one is reported
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	l := &Locked{}
	for _, j := range jobs {
		l.Changes = append(l.Changes, j.change)
		if !j.only || !j.image.Inline {
			l.Entries = append(l.Entries, j.entry)
		}
		if j.raised != nil {
			l.References = append(l.References, *j.raised)
		}
	}
	return l, nil
}

// lock fills in entry, change and raised.
func (j *job) lock(ctx context.Context, c *network.Client, o LockOptions) error {
	level, err := j.raise(ctx, c, o.Newer)
	switch {
	case err != nil:
		return err
	case level != imagetag.None:
	case j.image.Lock != nil && !o.Update:
		j.entry = *j.image.Lock
	case j.only && j.image.Inline && !o.Update:
		if j.entry, err = inDockerfile(j.image); err != nil {
			return err
		}
	default:
		if j.entry, j.change.Moved, err = locked(ctx, c, j.base, j.image); err != nil {
			return err
		}
	}
	e, change := j.entry, &j.change
	change.Base, change.Platform, change.Reference, change.New = e.Base, e.Platform.String(), e.Reference, short(e)
	change.To, change.Raised = e.Reference+"@"+e.Digest.String(), level
	if old := j.image.Lock; old != nil {
		was := short(*old)
		change.Old, change.From = &was, old.Reference+"@"+old.Digest.String()
	}
	if j.only && j.image.Inline { // the digest is changed in the Dockerfile
		change.Old, change.From = &change.New, change.To
	}
	change.Changed = change.Old == nil || *change.Old != change.New || level != imagetag.None
	if change.From == "" && j.raised != nil {
		change.From = j.raised.Old
	}
	switch {
	case level != imagetag.None:
		change.Why = "newer " + level.String()
	case change.Old == nil:
		change.Why = "not locked"
	case change.From != change.To:
		change.Why = "tag moved"
	case change.Changed:
		change.Why = "version or date recorded"
	}
	return nil
}

// inDockerfile returns what the digest in a Dockerfile states about an image.
func inDockerfile(i product.BaseImage) (product.LockedBase, error) {
	h, err := v1.NewHash(i.Reference.Identifier())
	return product.LockedBase{
		Base: product.Unpinned(i), Platform: i.Platform, Reference: product.Unpinned(i),
		Digest: h,
	}, err
}

// short is a locked base for people and scripts.
func short(e product.LockedBase) LockedBase {
	s := LockedBase{Digest: e.Digest.String(), OSVersion: e.OSVersion}
	if !e.Created.IsZero() {
		s.Created = e.Created.UTC().Format("2006-01-02")
	}
	return s
}

// locked asks for one image. moved is the digest of its tag, where slipway.yaml has another.
func locked(ctx context.Context, c *network.Client,
	b product.Base, i product.BaseImage,
) (e product.LockedBase, moved string, err error) {
	e = product.LockedBase{Base: b.Name, Platform: i.Platform, Reference: product.Unpinned(i)}
	tag := i.Reference.Context().Tag(i.Tag)
	ref := i.Reference
	if !i.Inline {
		ref = tag
	}
	desc, err := c.Get(ctx, ref)
	if err != nil {
		return e, "", fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
	}
	e.Digest = desc.Digest
	top, err := oci.Parse(v1.Descriptor{MediaType: desc.MediaType, Digest: desc.Digest, Size: desc.Size}, desc.Manifest)
	if err != nil {
		return e, "", fmt.Errorf("%s: %w", ref, err)
	}
	img, err := choose(remoteReader(ctx, c, ref.Context()), top, i.Platform, b.AnyBuild)
	if err != nil {
		return e, "", fmt.Errorf("%s: %w", ref, err)
	}
	if i.Platform.OS == platform.Windows && !b.AnyBuild {
		e.OSVersion = img.platform.OSVersion
	}
	if e.Created = img.created.UTC().Truncate(time.Second); e.Created.Unix() <= 0 {
		e.Created = time.Time{} // a reproducible image has the same each time, which means nothing
	}
	if i.Inline && i.Tag != "" {
		now, err := c.Head(ctx, tag)
		if err != nil {
			return e, "", fmt.Errorf("looking at %s: %w", tag, network.Clean(err))
		}
		if now.Digest != e.Digest {
			moved = now.Digest.String()
		}
	}
	return e, moved, nil
}
