package lint

import (
	"context"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/lock"
)

// ask looks up the images of pods and texts that are pinned and not in the lock in their
// registries.
func (k *known) ask(ctx context.Context, pods []*pod, texts []*imageText) error {
	if k.Remote == nil {
		return nil
	}
	var all []string
	for _, p := range pods {
		for _, r := range workload.References(p.spec) {
			all = append(all, r.Image)
		}
	}
	for _, t := range texts {
		all = append(all, t.refs...)
	}
	var refs []name.Digest
	seen := map[string]bool{}
	for _, ref := range all {
		d, err := name.NewDigest(ref)
		if _, known := k.images.Find(ref); err != nil || known || seen[ref] {
			continue
		}
		seen[ref] = true
		refs = append(refs, d)
	}
	if len(refs) == 0 {
		return nil
	}
	there, err := k.Remote(ctx, refs)
	if err != nil {
		return err
	}
	for _, d := range refs {
		platforms, ok := there[d.String()]
		if !ok {
			k.missing[d.String()] = true
			continue
		}
		k.images = append(k.images, lock.CatalogImage{
			Name: d.String(), Repository: d.Context(), Digest: d.DigestStr(),
			Reference: d.String(), Platforms: platforms,
		})
	}
	return nil
}
