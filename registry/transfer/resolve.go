package transfer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
)

// resolve asks the registry for every name, and marks the images that it has. A tag that names
// another digest is an error: whoever pulls by tag must never get two different releases under
// one version. All such tags are reported. Only cosign's tags may move. Images without a name are
// asked for by digest.
func (p *push) resolve(ctx context.Context) error {
	conflicts := make([]conflict, len(p.images))
	err := Each(ctx, p.Client, p.images, func(ctx context.Context, n int, i *target) error {
		if i.skipped {
			return nil
		}
		done := true
		if !i.ByDigest {
			have, err := p.Lookup(ctx, i.Ref)
			switch {
			case err != nil:
				return err
			case have == nil:
				done = false
			case have.Digest != i.Tree.Desc.Digest && i.isSignatureTag():
				return p.reconcileTag(ctx, i, have)
			case have.Digest != i.Tree.Desc.Digest:
				conflicts[n] = conflict{i.Image, have.Digest}
				return nil
			}
		}
		if done && (!p.options.TrustTags || i.ByDigest) {
			for _, m := range i.manifests() {
				have, err := p.Lookup(ctx, i.repo.Digest(m.Desc.Digest.String()))
				if err != nil {
					return err
				}
				i.has[m.Desc.Digest] = have != nil
				done = done && have != nil
			}
		}
		for _, d := range i.notIncluded() {
			have, err := p.Lookup(ctx, i.repo.Digest(d.Digest.String()))
			if err != nil {
				return err
			}
			if have == nil {
				i.notInRegistry = append(i.notInRegistry, d)
			}
		}
		i.done = done
		return nil
	})
	if err != nil {
		return err
	}
	return p.taken(conflicts)
}

// recognize marks documents that the registry has under another tag of the same repository.
func (p *push) recognize(context.Context) error {
	have := map[name.Reference]bool{}
	for _, i := range p.images {
		for _, m := range i.documents() {
			if i.done || i.has[m.Desc.Digest] {
				have[i.repo.Digest(m.Desc.Digest.String())] = true
			}
		}
	}
	for _, i := range p.images {
		for _, m := range i.documents() {
			if have[i.repo.Digest(m.Desc.Digest.String())] {
				i.has[m.Desc.Digest] = true
			}
		}
	}
	return nil
}

// Lookup returns what a reference names; nil if the registry does not have it.
func (c *Client) Lookup(ctx context.Context, ref name.Reference) (*v1.Descriptor, error) {
	d, err := c.Head(ctx, ref)
	switch {
	case err == nil:
		return d, nil
	case absent(err):
		return nil, nil //nolint:nilnil // the answer that it is not there
	}
	return nil, fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
}

func absent(err error) bool { return outcome.Of(err) == outcome.Absent }

// preferExisting puts a repository that has the blob, if there is one, in front of the others,
// which mount the blob from there.
func (c *Client) preferExisting(ctx context.Context, _ int, u *upload) error {
	for n, repo := range u.repos {
		s, err := c.Session(ctx, repo)
		if err != nil {
			return fmt.Errorf("looking at %s: %w", repo, err)
		}
		l, err := s.Layer(ctx, u.desc.Digest)
		if err != nil {
			return fmt.Errorf("looking at %s: %w", repo, network.Clean(err))
		}
		exists, err := partial.Exists(l)
		if err != nil && !absent(err) {
			return fmt.Errorf("looking for blob %s in %s: %w", u.desc.Digest, repo, network.Clean(err))
		}
		if exists {
			u.repos[0], u.repos[n] = u.repos[n], u.repos[0]
			return nil
		}
	}
	return nil
}

// conflict is a tag that names another digest than the image; the zero value is none.
type conflict struct {
	Image

	have v1.Hash
}

// conflictError has the tags that name another digest.
type conflictError struct{ error }

func (e conflictError) Unwrap() error { return e.error }

// taken returns the error for tags that name another digest. Those with one remedy are one line,
// which describes the first and names the others.
func (p *push) taken(all []conflict) error {
	var remedies []string
	first, others := map[string]string{}, map[string][]string{}
	for _, c := range all {
		if c.Ref == nil {
			continue
		}
		what, todo := p.options.Conflict(c.Image, c.have)
		if first[todo] == "" {
			remedies, first[todo] = append(remedies, todo), what
		} else {
			others[todo] = append(others[todo], c.Ref.Name())
		}
	}
	var errs []error
	for _, todo := range remedies {
		more := ""
		if also := others[todo]; len(also) > 0 {
			more = fmt.Sprintf("; %d more taken: %s", len(also), strings.Join(also, ", "))
		}
		errs = append(errs, conflictError{errors.New(first[todo] + more + ": " + todo)})
	}
	return errors.Join(errs...)
}
