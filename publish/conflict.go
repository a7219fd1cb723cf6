package publish

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/render/chart"
)

// conflict returns why the document that a tag names cannot be of this release, whatever is
// built: its form, its annotations or its platforms differ; "" if that is not certain.
func (a *asked) conflict() string {
	t, err := oci.Parse(v1.Descriptor{Digest: a.have.Digest}, a.document)
	if err != nil {
		return "it is not an image"
	}
	if t.ArtifactType() != string(chart.ConfigType) && a.Chart != "" {
		return "it is not a chart, which this release will be"
	}
	platforms, index := a.contents()
	if taken := a.taken(); taken != nil {
		return taken.conflict(a.have.Digest)
	}
	switch {
	case index && t.Desc.MediaType != types.OCIImageIndex:
		return "it is not an OCI index, which this release will be"
	case !index && t.Desc.MediaType != types.OCIManifestSchema1:
		return "it is not an OCI manifest, which this release will be"
	}
	if why := differ(t.Annotations, a.at.expected.Annotations); why != "" {
		return why
	}
	if !index {
		return ""
	}
	var has []platform.Platform
	for _, c := range t.Children {
		has = append(has, platform.From(c.Desc.Platform))
	}
	if n := firstWithout(platforms, has); n >= 0 {
		return fmt.Sprintf("it lacks %s, which this release will have", platforms[n])
	}
	if n := firstWithout(has, platforms); n >= 0 {
		return fmt.Sprintf("it has %s, which this release will lack", has[n])
	}
	for n, c := range t.Children {
		if taken := a.at.expected.taken(has[n]); taken != nil {
			if why := taken.conflict(c.Desc.Digest); why != "" {
				return fmt.Sprintf("for %s, %s", has[n], why)
			}
		}
	}
	return ""
}

// taken returns the image of another builder that the name will mean; nil if it means another.
func (a *asked) taken() *Taken {
	platforms, index := a.contents()
	if index || len(platforms) != 1 {
		return nil
	}
	return a.at.expected.taken(platforms[0])
}

func (e Expected) taken(on platform.Platform) *Taken {
	n := slices.IndexFunc(e.Taken, func(t Taken) bool { return platform.Same(t.Platform, on) })
	if n < 0 {
		return nil
	}
	return &e.Taken[n]
}

// conflict returns why a manifest is certainly another.
func (t Taken) conflict(has v1.Hash) string {
	if t.Digest == has || t.Digest == (v1.Hash{}) {
		return ""
	}
	return fmt.Sprintf("it is %s, and this release takes %s", has, t.Digest)
}

// firstWithout returns the index of the first platform that another list lacks, or -1.
func firstWithout(list, other []platform.Platform) int {
	have := keys(other)
	return slices.IndexFunc(keys(list), func(k platform.Key) bool { return !slices.Contains(have, k) })
}

func keys(list []platform.Platform) (all []platform.Key) {
	for _, p := range list {
		all = append(all, p.Key())
	}
	return all
}

// contents returns the platforms of the image that the name will mean, and whether it is an
// index.
func (a *asked) contents() (platforms []platform.Platform, index bool) {
	index = a.at.image.MediaType.IsIndex()
	if a.Kind == PlatformTag {
		return a.Platforms, index && len(a.Platforms) > 1
	}
	for _, c := range a.at.image.Children {
		platforms = append(platforms, c.Platform)
	}
	return platforms, index
}

// differ names the first annotation that two documents do not share, those first that say most.
func differ(have, want map[string]string) string {
	const prefix = "org.opencontainers.image."
	for _, k := range slices.Concat([]string{prefix + "version", prefix + "revision", prefix + "created"},
		slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(have))) {
		if have[k] != want[k] {
			return fmt.Sprintf("its %s is %s, and that of this release is %s", strings.TrimPrefix(k, prefix),
				cmp.Or(have[k], "none"), cmp.Or(want[k], "none"))
		}
	}
	return ""
}
