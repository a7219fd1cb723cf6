package assemble

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/compile/prebuilt"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Prebuilt is a prebuilt program for one platform.
type Prebuilt struct {
	Name string
	product.Prebuilt
}

// PrebuiltPrograms lists the prebuilt programs of p.
func PrebuiltPrograms(p *product.Product) (all []Prebuilt) {
	each(p, func(decl product.Program, on platform.Platform) {
		if f, ok := decl.On(on); ok {
			all = append(all, Prebuilt{decl.Name, f})
		}
	})
	return all
}

// readPrebuilt reads the prebuilt programs. Without a client, those that would have to be
// downloaded are omitted.
func readPrebuilt(ctx context.Context, p *product.Product, st *store.Store, client *network.Client,
) (map[Prebuilt]prebuilt.File, error) {
	list := PrebuiltPrograms(p)
	files := make([]prebuilt.File, len(list))
	failures := make([]error, len(list))
	read := prebuilt.Reader{Store: st, Client: client}
	var g errgroup.Group
	g.SetLimit(4)
	for n, p := range list {
		g.Go(func() error {
			files[n], failures[n] = read.Read(ctx, p.Name, p.Prebuilt)
			return nil
		})
	}
	g.Wait() //nolint:errcheck // failures are kept by index: every one is reported
	all := map[Prebuilt]prebuilt.File{}
	for n, p := range list {
		if errors.Is(failures[n], prebuilt.ErrNotDownloaded) {
			failures[n] = nil
			continue
		}
		all[p] = files[n]
	}
	return all, output.JoinOnce(failures...)
}

// lockPrebuilt lists prebuilt programs as the lock has them.
func lockPrebuilt(files map[Prebuilt]prebuilt.File) (all []lock.Prebuilt) {
	for p, f := range files {
		all = append(all, lock.Prebuilt{
			Name: p.Name, Platform: p.Platform, Digest: f.Content.Digest, Size: f.Content.Size,
			From: p.Origin, Member: p.Member, ArchiveDigest: f.Archive,
		})
	}
	lock.SortPrebuilt(all)
	return all
}
