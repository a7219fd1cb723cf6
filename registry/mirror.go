package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/lock"
)

// mirror adds third-party images. Those of different content whose names differ in the host alone
// have no tag here, or a client would get the wrong one; the product's own image keeps its tag.
func (r *Registry) mirror(all []lock.ThirdParty) {
	named := map[string][]lock.ThirdParty{} // by the name here
	var names []string
	for _, t := range all {
		path, tag := split(t.Reference)
		if t.Omitted != "" || path == "" {
			continue
		}
		r.tag(path, "", t.Digest)
		r.refer(path, t.Digest, t.Referrers)
		if tag == "" {
			continue
		}
		here := path + ":" + tag
		if named[here] == nil {
			names = append(names, here)
		}
		named[here] = append(named[here], t)
	}
	for _, here := range names {
		path, tag, _ := strings.Cut(here, ":")
		images := named[here]
		own, taken := r.resolve(path, tag)
		first := images[0].Digest
		if taken {
			first = own
		}
		if !slices.ContainsFunc(images, func(t lock.ThirdParty) bool { return t.Digest != first }) {
			r.tag(path, tag, first)
			continue
		}
		var list []string
		for _, t := range images {
			list = append(list, fmt.Sprintf("%s as %s@%s", t.Reference, path, t.Digest))
		}
		why := "which several images have"
		if taken {
			why = "which is the product's own"
		}
		r.ambiguous = append(r.ambiguous,
			fmt.Sprintf("not served by the tag %s, %s: pull %s", here, why, strings.Join(list, ", ")))
	}
}

// Ambiguous reports the images that are not served by their tags, because another image has the
// same name but for its host.
func (r *Registry) Ambiguous() []string { return r.ambiguous }
