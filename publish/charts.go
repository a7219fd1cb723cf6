package publish

import (
	"bytes"
	"context"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/chart"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Charts pushes the charts of p to the registries of l, or to the embedded one for a snapshot, and
// adds them to l. They name images of l by digest, so that they are made and pushed after
// [Publish] or [Merge]. Every registry gets the same bytes, which name the images at the first.
func Charts(ctx context.Context, p *product.Product, st *store.Store, l *lock.Lock, charts []*chart.Artifact, o network.Options) error {
	if len(charts) == 0 {
		return nil
	}
	l.Charts = ChartNames(p, charts)
	for _, a := range charts {
		for _, b := range [][]byte{a.Archive, a.Config, a.Manifest} {
			if _, err := st.PutBytes(b); err != nil {
				return fmt.Errorf("publishing chart %s: %w", a.Name, err)
			}
		}
	}
	images := l.ChartImages()
	planned, err := plan(st, l, images, false)
	if err != nil {
		return err
	}
	c := newClient(o, st, p)
	existed, err := pushAll(ctx, c, l, planned, c.FromStore(ctx, st, nil), chartOptions)
	if err != nil {
		return err
	}
	if err := finish(ctx, c, p, st, l, images, func(i lock.Image) bool { return !existed[i.Tagged()] }); err != nil {
		return err
	}
	for n := range l.Charts {
		l.Charts[n].Referrers = images[n].Referrers
	}
	return nil
}

// chartOptions are for the charts of a release.
var chartOptions = transfer.PushOptions{
	Task:      "publish charts",
	TrustTags: true,
	Conflict: func(i transfer.Image, have v1.Hash) error {
		return fmt.Errorf("publishing chart %s: the tag is %s already, and the chart of this release is %s: raise its version, or delete the tag if nobody has used it",
			i.Ref, have, i.Tree.Desc.Digest)
	},
}

// ChartNames returns the charts of p, in its order, with the names under which [Charts] publishes
// them.
func ChartNames(p *product.Product, charts []*chart.Artifact) []lock.Chart {
	var all []lock.Chart
	for n, a := range charts {
		want := p.Charts[n]
		c := lock.Chart{Name: a.Name, Version: a.Version, AppVersion: a.AppVersion, Tags: want.Tags, MediaType: types.OCIManifestSchema1}
		var repositories []string
		for k, host := range registries(p) {
			repositories = append(repositories, host+"/"+want.Repositories[k])
		}
		for _, t := range want.FloatingTags {
			for _, r := range repositories {
				c.FloatingTags = append(c.FloatingTags, lock.FloatingTag{Tag: t, Repository: r})
			}
		}
		c.Repository, c.Copies = repositories[0], copies(repositories)
		c.File.Name = a.FileName()
		c.File.Digest, c.File.Size = sum(a.Archive)
		c.Digest, c.Size = sum(a.Manifest)
		all = append(all, c)
	}
	return all
}

func sum(b []byte) (v1.Hash, int64) {
	h, size, _ := v1.SHA256(bytes.NewReader(b)) // memory does not fail
	return h, size
}
