package publish

import (
	"bytes"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/chart"
)

// ChartNames returns the charts of p, in its order, with the names under which [Prepared.Push]
// publishes them.
func ChartNames(p *product.Product, charts []*chart.Artifact) []lock.Chart {
	var all []lock.Chart
	for n, a := range charts {
		want := p.Charts[n]
		c := lock.Chart{
			Name: a.Name, Version: a.Version, AppVersion: a.AppVersion, Tags: want.Tags,
			MediaType: types.OCIManifestSchema1,
		}
		var repositories []string
		for k, host := range Registries(p) {
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
