package base

import (
	"errors"
	"fmt"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// image is an image of a registry, without its layers.
type image struct {
	manifest *oci.Tree
	config   []byte // byte for byte
	created  time.Time
	platform platform.Platform // that of the configuration
}

// choose returns the image that top is, or the child of that index that is for p. If the
// configuration omits an os.version or a variant, that of the index counts. A base of any build
// is chosen by operating system and architecture alone.
func choose(r reader, top *oci.Tree, p platform.Platform, anyBuild bool) (image, error) {
	if !top.Desc.MediaType.IsIndex() {
		i, err := r.read(top)
		if err != nil {
			return image{}, err
		}
		return i, matches(i.platform, p, anyBuild)
	}
	var chosen []image
	var have []string
	for _, child := range top.Children {
		d := child.Desc
		listed := platform.From(d.Platform)
		if !listed.IsImage() || !d.MediaType.IsImage() {
			continue
		}
		if machine(listed) != machine(p) || p.OS == platform.Windows && !anyBuild && listed.OSVersion != "" &&
			!platform.Same(listed, p) {
			have = append(have, listed.String())
			continue
		}
		i, err := r.child(d)
		if err != nil {
			return image{}, err
		}
		if i.platform.OS == platform.Windows && i.platform.OSVersion == "" {
			i.platform.OSVersion = listed.OSVersion // some bases have it in the index alone
		}
		i.platform.OSFeatures = listed.OSFeatures // containerd chooses by those of the index
		if i.platform.Variant == "" && i.platform.OS == listed.OS && i.platform.Architecture == listed.Architecture {
			i.platform.Variant = listed.Variant // as others that run it do
		}
		if listed.OSVersion == "" && p.OS == platform.Windows && !anyBuild && i.platform.OSVersion != "" &&
			!platform.Same(i.platform, p) {
			have = append(have, i.platform.String())
			continue
		}
		chosen = append(chosen, i)
	}
	switch {
	case len(chosen) == 0 && len(have) == 0:
		return image{}, unsuitable{errors.New("it has no image at all: name another")}
	case len(chosen) == 0:
		return image{}, unsuitable{fmt.Errorf("it has no image for this platform, only for %s",
			strings.Join(have, ", "))}
	}
	first := chosen[0]
	for _, other := range chosen {
		if p.OS == platform.Windows && other.manifest.Desc.Digest != first.manifest.Desc.Digest {
			return image{}, fmt.Errorf("it has two images for this platform, %s (%s) and %s (%s): "+
				"name one by its digest in slipway.yaml",
				first.manifest.Desc.Digest, first.platform, other.manifest.Desc.Digest, other.platform)
		}
	}
	return first, matches(first.platform, p, anyBuild)
}

// child reads a manifest of an index and its configuration.
func (r reader) child(d v1.Descriptor) (image, error) {
	raw, err := r.manifests(d)
	if err != nil {
		return image{}, network.Clean(err)
	}
	manifest, err := oci.Parse(d, raw)
	if err != nil {
		return image{}, err
	}
	return r.read(manifest)
}

// read reads the configuration of a manifest.
func (r reader) read(manifest *oci.Tree) (image, error) {
	i := image{manifest: manifest}
	config, err := manifest.ReadConfig(func(d v1.Descriptor) (_ []byte, err error) {
		i.config, err = r.configs(d)
		return i.config, err
	})
	if err != nil {
		return image{}, network.Clean(err)
	}
	i.created = config.Created.Time
	i.platform = platform.FromConfig(config)
	return i, nil
}

// machine is a platform without its version.
func machine(p platform.Platform) platform.Platform {
	p = p.Canonical()
	p.OSVersion = ""
	return p
}

// matches returns an error unless the configuration of an image is for platform p.
func matches(got, p platform.Platform, anyBuild bool) error {
	switch {
	case anyBuild && machine(got) == machine(p):
		return nil
	case p.OS == platform.Windows && got.OS == platform.Windows && strings.Count(got.OSVersion, ".") != 3:
		return unsuitable{fmt.Errorf("its os.version %q has not four parts, "+
			"so no host can tell whether it runs: use one that has", got.OSVersion)}
	case !platform.Same(got, p):
		return another(got, p)
	}
	return nil
}

func another(got, p platform.Platform) error {
	return unsuitable{fmt.Errorf("it is an image for %s: name the right one for %s", got, p)}
}
