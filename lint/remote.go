package lint

import (
	"context"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/render/workload"
)

// ask looks up the images of pods, and those that texts name by digest, in their registries, unless
// the lock has them.
func (k *known) ask(ctx context.Context, pods []*pod, texts []*imageText) error {
	if k.Remote == nil {
		return nil
	}
	var refs []name.Reference
	seen := map[string]bool{}
	add := func(text string, tagged bool) {
		ref, err := name.ParseReference(text)
		_, pinned := ref.(name.Digest)
		if _, known := k.images.FindTagged(text); err != nil || known || seen[text] || !tagged && !pinned {
			return
		}
		seen[text] = true
		refs = append(refs, ref)
	}
	for _, p := range pods {
		for _, r := range workload.References(p.spec) {
			add(r.Image, true)
		}
	}
	for _, t := range texts {
		for _, text := range t.refs {
			add(text, false)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	there, err := k.Remote(ctx, refs)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		has, ok := there[ref.String()]
		if !ok {
			k.missing[ref.String()] = true
			continue
		}
		i := lock.CatalogImage{
			Name: ref.String(), Repository: ref.Context(), Digest: has.Digest, Platforms: has.Platforms,
			Reference: ref.Context().Digest(has.Digest).String(),
		}
		if tag, ok := ref.(name.Tag); ok {
			i.Tags = []string{tag.TagStr()}
		}
		k.images = append(k.images, i)
	}
	return nil
}
