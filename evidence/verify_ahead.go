package evidence

import (
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/signature"
)

// maxAhead bounds the bytes that are read before their turn: existing releases have fewer.
const maxAhead = 64 << 20

// lookAhead reads and verifies the Sigstore bundles of all materials, several at a time, each
// once. The results have no effect before their turn: [reader.read] takes them in its own order,
// and reads missing bundles itself, so that the bounds and the first error stay the same.
func (r *reader) lookAhead(all []Material) {
	r.ahead = map[v1.Hash]*decoded{}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	size := int64(0)
	for n := range all {
		m := &all[n]
		for _, i := range m.Images {
			for _, ref := range i.Referrers {
				d, ok := sigstore(ref.Tree)
				if _, known := r.ahead[d.Digest]; !ok || known || len(r.ahead) == maxBundles {
					continue
				}
				if size += d.Size; d.Size > signature.MaxBundle || size > maxAhead {
					g.Wait() //nolint:errcheck // each result has its own
					return
				}
				result := &decoded{}
				r.ahead[d.Digest] = result
				g.Go(func() error {
					*result = *r.policy.load(m, d)
					return nil
				})
			}
		}
	}
	g.Wait() //nolint:errcheck // as above
}
