package render

import (
	"context"
	"encoding/json"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// Memory remembers renderings for the stages of one release: they render before digests exist, to
// find images and to judge, and again when third-party images were fetched. Renderings that no
// digest has changed are reused. A nil Memory remembers nothing.
type Memory struct {
	manifests map[string]*Manifest
	charts    map[string][]Chart
}

// Render is [Render] without progress.
func (m *Memory) Render(ctx context.Context, p *product.Product, l *lock.Lock) (*Manifest, error) {
	if m == nil {
		return Render(ctx, p, l, Options{})
	}
	return remember(&m.manifests, l, func() (*Manifest, error) { return Render(ctx, p, l, Options{}) })
}

// Charts is [Charts].
func (m *Memory) Charts(ctx context.Context, p *product.Product, l *lock.Lock) ([]Chart, error) {
	if m == nil {
		return Charts(ctx, p, l)
	}
	return remember(&m.charts, l, func() ([]Chart, error) { return Charts(ctx, p, l) })
}

func remember[T any](all *map[string]T, l *lock.Lock, do func() (T, error)) (T, error) {
	key, err := keyOf(l)
	if v, ok := (*all)[key]; ok && err == nil {
		return v, nil
	}
	v, wrong := do()
	if wrong == nil && err == nil {
		if *all == nil {
			*all = map[string]T{}
		}
		(*all)[key] = v
	}
	return v, wrong
}

// keyOf returns everything of a lock that rendering follows from: of third-party images these are
// the digests of their tags. The product is the same in all stages, but for the images to pack.
func keyOf(l *lock.Lock) (string, error) {
	rest := *l
	rest.ThirdParty = nil
	b, err := json.Marshal(struct {
		Lock *lock.Lock
		Pins map[string]string
	}{&rest, pinsOf(l)})
	return string(b), err
}
