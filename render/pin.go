package render

import (
	"slices"
	"strings"

	"carvel.dev/ytt/pkg/yamlmeta"
	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// pin replaces the tag of third-party images by their digest if images.txt has the same tag:
// manifests of other projects name their images by tag. A tag of the product's own images becomes
// the reference of the lock, whichever destination of slipway.yaml it is at. In a text that has a
// tag and a digest, as slipway pin writes it, the digest stays, if the lock has such an image. lint
// reports images that stay unpinned.
func pin(docs []document, p *product.Product, l *lock.Lock) {
	pins, own := pinsOf(l), ownOf(p, l)
	known := map[string]bool{}
	for tag, digest := range pins {
		known[tag[:strings.LastIndex(tag, ":")]+"@"+digest] = true
	}
	for _, d := range docs {
		replace(d.yaml.Value, nil, func(path []string, s string) string {
			base, digest, pinned := strings.Cut(s, "@")
			switch {
			case !pinned && own[tagged(s)] != "" && workload.IsImageField(d.APIVersion, d.Kind, path, s):
				return own[tagged(s)]
			case pinned && (tagged(base) == "" || !known[untagged(base)+"@"+digest] || slices.Contains(path, "metadata")):
				return s
			case !pinned:
				digest = pins[tagged(s)]
			}
			if digest == "" || !pinned && !workload.IsImageField(d.APIVersion, d.Kind, path, s) {
				return s
			}
			return base[:strings.LastIndex(base, ":")] + "@" + digest
		})
	}
}

// pinsOf maps full repository:tag of third-party images to their digests. Snapshots use the digest
// from images.txt.
func pinsOf(l *lock.Lock) map[string]string {
	pins := map[string]string{}
	for _, t := range l.ThirdParty {
		base, digest, _ := strings.Cut(t.Reference, "@")
		if t.Digest.Hex != "" {
			digest = t.Digest.String()
		}
		if full := tagged(base); full != "" && digest != "" {
			pins[full] = digest
		}
	}
	return pins
}

// ownOf maps repository:tag of the product's images, at every destination of slipway.yaml, to the
// references of the lock.
func ownOf(p *product.Product, l *lock.Lock) map[string]string {
	all := map[string]string{}
	for _, i := range p.Images {
		published, ok := l.Image(i.Name)
		if !ok {
			continue
		}
		for _, n := range published.Names() {
			tag := n.Reference[strings.LastIndex(n.Reference, ":"):]
			for _, repository := range slices.Concat(published.Repositories(), i.Elsewhere) {
				all[tagged(repository+tag)] = published.Repository + "@" + n.Desc.Digest.String()
			}
		}
	}
	return all
}

// tagged returns the full name of a reference by tag, and "" for any other text.
func tagged(ref string) string {
	t, err := name.NewTag(ref, name.WithDefaultTag(""))
	if err != nil || t.TagStr() == "" {
		return ""
	}
	return t.Name()
}

// untagged returns the repository in full of a reference by tag.
func untagged(ref string) string {
	full := tagged(ref)
	return full[:strings.LastIndex(full, ":")]
}

// replace replaces every string value below v.
func replace(v any, path []string, change func(path []string, s string) string) {
	switch v := v.(type) {
	case *yamlmeta.Map:
		for _, i := range v.Items {
			key, _ := i.Key.(string)
			at := append(slices.Clone(path), key)
			if s, ok := i.Value.(string); ok {
				i.Value = change(at, s)
			} else {
				replace(i.Value, at, change)
			}
		}
	case *yamlmeta.Array:
		for n, i := range v.Items {
			at := append(slices.Clone(path), item(n, i.Value))
			if s, ok := i.Value.(string); ok {
				i.Value = change(at, s)
			} else {
				replace(i.Value, at, change)
			}
		}
	}
}
