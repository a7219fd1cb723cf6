package doctor

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/product"
)

// archives reports, for each repository of packages.lock.yaml, whether it or a mirror of it
// answers. The store may have the packages already: then no release needs it.
func (e *examination) archives(ctx context.Context, f *findings) {
	var all []product.LockedRepository
	for _, c := range e.product.LockedPackages {
		for _, p := range c.Packages {
			r := p.Repository
			known := func(o product.LockedRepository) bool { return o.Index() == r.Index() }
			if r.URL != "" && !slices.ContainsFunc(all, known) {
				all = append(all, r)
			}
		}
	}
	switch {
	case len(e.Faults) > 0:
		f.ok("not tried: first mend %s", product.File)
		return
	case len(all) == 0:
		f.ok("no packages are locked")
		return
	}
	answers := make([]string, len(all))
	problems := make([]error, len(all))
	var g errgroup.Group
	g.SetLimit(4)
	for n, r := range all {
		g.Go(func() error {
			answers[n], problems[n] = e.archive(ctx, r)
			return nil
		})
	}
	g.Wait() //nolint:errcheck // failures are kept by index
	for n, r := range all {
		if problems[n] != nil {
			f.problem("%s %s: %v: correct the network or its proxy, or name a mirror under packages.mirrors", r.URL,
				r.Suite, problems[n])
		} else {
			f.ok("%s %s: %s", r.URL, r.Suite, answers[n])
		}
	}
}

// archive asks a repository, and its mirrors if it does not answer.
func (e *examination) archive(ctx context.Context, r product.LockedRepository) (answer string, err error) {
	if err = e.has(ctx, r); err == nil {
		return "it answers", nil
	}
	for _, m := range e.product.Packages.MirrorsOf(r) {
		if e.has(ctx, m) == nil {
			return fmt.Sprintf("its mirror %s answers; %v", m.URL, err), nil
		}
	}
	return "", err
}

// has reports whether a repository has its index. Nothing of it is kept.
func (e *examination) has(ctx context.Context, r product.LockedRepository) error {
	body, err := e.client.Archive(ctx, r.Index(), func(int64) error { return nil })
	if err != nil {
		return err
	}
	return body.Close()
}
