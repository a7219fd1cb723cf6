package publish_test

import (
	"os"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/store"
)

// cut makes a store with a release of small images, and the product it belongs to.
func cut(tb testing.TB, size int) (*product.Product, *store.Store, *lock.Lock) {
	tb.Helper()
	st := storetest.Open(tb)
	l := storetest.Release(tb, st, size)
	return storetest.Product(tb, l), st, l
}

// quick retries at once, as tests want it.
var quick = network.Options{Wait: time.Microsecond}

// merge publishes a release of parts.
func merge(tb testing.TB, p *product.Product, st *store.Store, parts []*lock.Part) (*lock.Lock, error) {
	tb.Helper()
	r, err := publish.PrepareMerge(tb.Context(), p, st, parts, quick)
	if err != nil {
		return nil, err
	}
	return r.Lock, r.Push(tb.Context())
}

// withCharts publishes a release with the charts that charts returns for its lock.
func withCharts(tb testing.TB, p *product.Product, st *store.Store, built *lock.Lock, o network.Options,
	charts func(*lock.Lock) []*chart.Artifact,
) (*lock.Lock, error) {
	tb.Helper()
	r, err := publish.Prepare(tb.Context(), p, st, storetest.Built(built), o)
	if err != nil {
		return nil, err
	}
	if err := r.AddCharts(charts(r.Lock)); err != nil {
		return nil, err
	}
	return r.Lock, r.Push(tb.Context())
}

// blobs lists every blob that the images of l refer to, each once, with the repositories it is in.
func blobs(tb testing.TB, st *store.Store, l *lock.Lock) map[v1.Hash]map[string]bool {
	tb.Helper()
	all := map[v1.Hash]map[string]bool{}
	for _, i := range l.Images {
		for _, c := range i.Children {
			img, err := st.Image(c.Digest)
			if err != nil {
				tb.Fatal(err)
			}
			m, err := img.Manifest()
			if err != nil {
				tb.Fatal(err)
			}
			for _, d := range append(m.Layers, m.Config) {
				if all[d.Digest] == nil {
					all[d.Digest] = map[string]bool{}
				}
				all[d.Digest][i.Name] = true
			}
		}
	}
	return all
}

// hasImage checks that a store has the manifest of an image and every blob that it lists.
func hasImage(tb testing.TB, st *store.Store, h v1.Hash) {
	tb.Helper()
	img, err := st.Image(h)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := img.Manifest()
	if err != nil {
		tb.Fatal(err)
	}
	for _, b := range append(m.Layers, m.Config) {
		if !st.Has(b.Digest) {
			tb.Errorf("blob %s (%s) of %s is not in the store", b.Digest, b.MediaType, h)
		}
	}
}

// remove takes a blob out of a store.
func remove(tb testing.TB, st *store.Store, h v1.Hash) {
	tb.Helper()
	if err := os.Remove(st.Path(h)); err != nil {
		tb.Fatal(err)
	}
}
