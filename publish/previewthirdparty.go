package publish

import (
	"context"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Party is a third-party image, and what a release will do with it.
type Party struct {
	Reference string `json:"reference"` // as written
	Pinned    bool   `json:"pinned"`    // by digest
	// Stored reports whether the store has all of it. Otherwise it is fetched, unless Omitted is
	// set.
	Stored  bool   `json:"stored"`
	Omitted string `json:"omitted,omitempty"` // why the release goes without it
	host    string
}

// Host returns the registry that the image is fetched from; "" if it is not.
func (t Party) Host() string {
	if t.Stored || t.Omitted != "" {
		return ""
	}
	return t.host
}

// PreviewThirdParty returns the third-party images of p. It checks that those which st lacks can
// be read, and for a registry all, as [Reach] does, and writes nothing. The error lists those that
// cannot.
func PreviewThirdParty(ctx context.Context, p *product.Product, st *store.Store, o network.Options) ([]Party, error) {
	r := &reach{Client: transfer.New(o), store: st, progress: o.Progress}
	all := make([]Party, len(p.Airgap.Images))
	var questions []question
	for n, t := range p.Airgap.Images {
		if all[n] = (Party{Reference: t.Text, Omitted: t.Omitted}); t.Omitted != "" {
			continue
		}
		host := t.Reference.Context().RegistryStr()
		_, pinned := t.Reference.(name.Digest)
		_, here, _ := transfer.InStore(st, t.Reference) // what is damaged is fetched again
		all[n] = Party{Reference: t.Text, Pinned: pinned, Stored: here, host: host}
		switch {
		case here && p.Snapshot():
		case !here && !p.FetchesFrom(host):
			all[n].Omitted = lock.NoNetwork
		default:
			questions = append(questions,
				question{host: host, ask: func(ctx context.Context) error { return r.mayPull(ctx, t) }})
		}
	}
	return all, askAll(ctx, r.Client, questions)
}
