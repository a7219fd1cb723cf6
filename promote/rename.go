package promote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/renaming"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
)

// rename gives the references of the release.yaml their names at a destination, and checks the
// result. References to images outside of the source are left as they are.
func (p *promotion) rename(ctx context.Context, to string) (*renaming.Release, error) {
	if p.Release == "" {
		return nil, nil
	}
	from := canonical(p.From) + "/"
	names, err := p.names(to, func(repository, ref string) error {
		if !strings.HasPrefix(repository, from) {
			return nil
		}
		return fmt.Errorf("%s is not an image of this release: promote the release.yaml that belongs to it", ref)
	})
	if err != nil {
		return nil, err
	}
	r, err := names.Read(p.Release, p.Out, to)
	if err != nil {
		return nil, err
	}
	return r, p.lint(ctx, r, to)
}

// names returns the names that the images have at a destination.
func (p *promotion) names(to string, unknown func(repository, reference string) error) (*renaming.Names, error) {
	names := &renaming.Names{Unknown: unknown}
	for _, i := range p.images {
		if i.chart {
			continue
		}
		repo, err := name.NewRepository(i.repo)
		if err != nil {
			return nil, err
		}
		for _, t := range slices.Concat(i.tags, i.floating) {
			names.Add(repo.Tag(t.tag), p.target(i, to), t.desc.Digest, i.manifests...)
		}
	}
	return names, nil
}

// lint checks a renamed manifest, with the images under their new names. Findings of severity
// error end the promotion.
func (p *promotion) lint(ctx context.Context, r *renaming.Release, to string) error {
	report, err := lint.Check(ctx, []lint.File{{Name: p.Release, Text: r.Text}}, lint.Options{Lock: p.at(to), Allow: p.Allow})
	if err != nil {
		return fmt.Errorf("checking %s: %w", p.Release, err)
	}
	var errs []error
	for _, f := range report.Folded(false) {
		if f.Severity == lint.Error {
			errs = append(errs, errors.New(f.String()))
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("%s breaks rules: correct its templates, or name the slipway.yaml with -product whose lint.allow allows this:\n%w", p.Release, errors.Join(errs...))
	}
	return nil
}

// at returns the lock with the names that the images have at a destination; nil if there is none.
func (p *promotion) at(to string) *lock.Lock {
	if p.lock == nil {
		return nil
	}
	l := *p.lock
	l.Registry, l.Copies, l.Images = to, nil, slices.Clone(l.Images)
	for n, i := range p.images[:len(l.Images)] { // in the order of the lock
		l.Images[n].Repository, l.Images[n].FloatingTags = p.target(i, to), nil
	}
	return &l
}
