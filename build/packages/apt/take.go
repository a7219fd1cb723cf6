package apt

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/build/webfile"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/product"
)

// parallel is how many packages are fetched at the same time.
const parallel = 8

// take returns the files of the packages that are installed, by index. They come out of the store,
// or an archive. A check fetches none, and a snapshot asks no archive.
func (m *Manager) take(ctx context.Context, c packages.Call, list []product.LockedPackage) ([]layer.Content, error) {
	all := make([]layer.Content, len(list))
	var missing []product.LockedPackage
	for n, p := range list {
		if p.Path == "" {
			continue
		}
		if p.Repository.URL == "" {
			var err error
			if all[n], err = localContent(c, p); err != nil {
				return nil, err
			}
			continue
		}
		if !m.Store.Has(p.SHA256) {
			missing = append(missing, p)
			continue
		}
		var err error
		if all[n], err = webfile.Stored(m.Store, p.SHA256); err != nil {
			return nil, err
		}
	}
	switch {
	case len(missing) == 0:
		return all, nil
	case m.Snapshot:
		return nil, packages.Absent(fmt.Errorf("%s and %d more are not in the store, and a snapshot asks no archive",
			missing[0].Name, len(missing)-1))
	case c.Check && m.Pin == nil:
		return nil, packages.Later(fmt.Errorf("a check fetches no packages"))
	}
	return all, m.fetch(ctx, list, all)
}

// Fetch returns packages of repositories, which it brings into the store if that lacks them.
func (m *Manager) Fetch(ctx context.Context, list []product.LockedPackage) ([]layer.Content, error) {
	all := make([]layer.Content, len(list))
	return all, m.fetch(ctx, list, all)
}

// fetch brings those packages of repositories into the store of which all has no content, and adds
// that.
func (m *Manager) fetch(ctx context.Context, list []product.LockedPackage, all []layer.Content) error {
	var g errgroup.Group
	g.SetLimit(parallel)
	failures := make([]error, len(list))
	for n, p := range list {
		if p.Path == "" || p.Repository.URL == "" || all[n].Open != nil {
			continue
		}
		g.Go(func() error {
			var err error
			if all[n], err = webfile.Archive(ctx, m.Store, m.Client, m.places(p), p.Size, p.SHA256); err != nil {
				failures[n] = fmt.Errorf("package %s %s: %w", p.Name, p.Version, advised(err))
			}
			return nil
		})
	}
	g.Wait() //nolint:errcheck // failures are kept by index
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, err := range failures {
		if err != nil {
			return err // one is enough: the others have the same reason
		}
	}
	return nil
}

// advised adds what to do about a package that an archive does not have.
func advised(err error) error {
	absent := (*network.StatusError)(nil)
	if is := errors.As(err, &absent); is && absent.Code == http.StatusUnauthorized ||
		!is && !errors.Is(err, webfile.ErrOther) {
		return err
	}
	return fmt.Errorf("%w: name a mirror that has it below packages.mirrors in slipway.yaml, or run %s", err,
		howto.Run("pin -update"))
}

// places are the URLs at which a package may be, in the order in which they are asked: its
// repository, the mirrors of slipway.yaml, and for Debian's own archives the snapshot of the day.
func (m *Manager) places(p product.LockedPackage) []string {
	base := strings.TrimSuffix(p.Repository.URL, "/")
	file := p.File()
	all := []string{base + "/" + file}
	for _, o := range m.Packages.Mirrors {
		if o.For == base {
			all = append(all, o.URL+"/"+file)
		}
	}
	_, rest, _ := strings.Cut(base, "://")
	host, archive, _ := strings.Cut(rest, "/")
	if strings.HasSuffix(host, ".debian.org") && (archive == "debian" || archive == "debian-security") {
		all = append(all, "https://snapshot.debian.org/archive/"+archive+"/"+
			p.Repository.Date.UTC().Format("20060102T150405Z")+"/"+file)
	}
	return all
}
