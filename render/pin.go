package render

import (
	"slices"
	"strings"

	"carvel.dev/ytt/pkg/yamlmeta"
	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/render/workload"
)

// pin gives images their digests. References that mean images of the product become those of the
// lock. The tag of third-party images becomes their digest if the lock has the same tag: manifests
// of other projects name their images by tag. In a text that has a tag and a digest, as charts and
// slipway pin write it, the digest stays, if the lock has such an image. lint reports images that
// stay unpinned.
func pin(docs []document, m *images) {
	pins := pinsOf(m.lock)
	known := map[string]bool{}
	for tag, digest := range pins {
		known[tag[:strings.LastIndex(tag, ":")]+"@"+digest] = true
	}
	for _, i := range m.lock.Images {
		known[untagged(i.Repository+":x")+"@"+i.Digest.String()] = true
	}
	for _, d := range docs {
		if d.Kind == "CustomResourceDefinition" {
			continue
		}
		replace(d.yaml.Value, nil, func(path []string, s string) string {
			if slices.ContainsFunc(path, func(k string) bool {
				return k == "metadata" || k == "selector" || k == "matchLabels"
			}) {
				return s
			}
			certain := workload.IsImageField(d.APIVersion, d.Kind, path, s)
			before, ref, called := argument(path, s)
			if certain {
				before, ref = "", s
			}
			if own := m.find(ref, certain || called); own != "" {
				return before + own
			}
			return before + pinned(ref, pins, known)
		})
	}
}

// argument returns the reference in a text that may be an argument: --image=REFERENCE. called
// reports whether what it is called is a name for an image: --controller-image, CONTROLLER_IMAGE.
func argument(path []string, s string) (before, ref string, called bool) {
	if n := strings.LastIndex(s, "="); n >= 0 {
		return s[:n+1], s[n+1:], workload.IsImageVariable(strings.TrimRight(s[:n], "="), "")
	}
	if n := len(path); n > 1 && path[n-1] == "value" {
		return "", s, workload.IsImageVariable(path[n-2], "")
	}
	return "", s, false
}

// pinned returns a reference to a third-party image, or to one with a known digest, by its digest.
func pinned(s string, pins map[string]string, known map[string]bool) string {
	base, digest, ok := strings.Cut(s, "@")
	if !ok {
		digest = pins[tagged(s)]
	}
	if digest == "" || tagged(base) == "" || ok && !known[untagged(base)+"@"+digest] {
		return s
	}
	return base[:strings.LastIndex(base, ":")] + "@" + digest
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
	below := func(step string, value *any) {
		at := append(slices.Clone(path), step)
		if s, ok := (*value).(string); ok {
			*value = change(at, s)
		} else {
			replace(*value, at, change)
		}
	}
	switch v := v.(type) {
	case *yamlmeta.Map:
		for _, i := range v.Items {
			key, _ := i.Key.(string)
			below(key, &i.Value)
		}
	case *yamlmeta.Array:
		for n, i := range v.Items {
			below(item(n, i.Value), &i.Value)
		}
	}
}
