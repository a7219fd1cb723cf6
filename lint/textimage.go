package lint

import (
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/render/workload"
)

// textImages checks texts: in a release those that must be a reference as a whole, otherwise the
// references in them. The lock must have a reference, or its registry. In a release, one that is
// certain to be an image must be pinned and in the lock.
func (k *known) textImages(texts []*imageText) (all []problem) {
	for _, t := range texts {
		if t.image && slices.ContainsFunc(t.names, workload.IsWindowsName) {
			if i, ok := k.images.Find(t.value); ok && !i.Runs(platform.Windows) {
				what := fmt.Sprintf("it is named for Windows, but image %s has no files for windows", i.Name)
				all = append(all, problem{place: t.place, rule: "image-windows-name", what: what})
			}
		}
		if t.ofPod {
			continue
		}
		whole := t.image && k.release
		refs := t.refs
		if whole {
			refs = append([]string{t.value}, lock.KoNames(t.value)...)
		}
		for n, ref := range refs {
			_, p := k.resolve(t.place, ref, whole && n == 0 || k.images.IsProduct(ref))
			if p.which = ref; p.rule == "image-ko" || p.rule != "" && k.sources {
				all = append(all, p)
			}
		}
	}
	return all
}
