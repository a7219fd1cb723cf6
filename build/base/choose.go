package base

import (
	"context"
	"errors"
	"fmt"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/platform"
)

// choose returns the image itself or the child of an index that is for p, and the platform that
// its configuration has. If the index omits an os.version, that of the configuration
// counts. A base of any build is chosen by system and architecture alone.
func choose(ctx context.Context, c *network.Client, desc *remote.Descriptor, p platform.Platform, anyBuild bool) (img v1.Image, got platform.Platform, err error) {
	err = c.Retry(ctx, func() error { // children and configurations are read here
		img, got, err = pick(desc, p, anyBuild)
		return err
	})
	return img, got, network.Clean(err)
}

func pick(desc *remote.Descriptor, p platform.Platform, anyBuild bool) (v1.Image, platform.Platform, error) {
	if !desc.MediaType.IsIndex() {
		img, err := desc.Image()
		if err != nil {
			return nil, platform.Platform{}, err
		}
		got, err := systemOf(img)
		if err != nil {
			return nil, platform.Platform{}, err
		}
		return img, got, matches(got, p, anyBuild)
	}
	idx, err := desc.ImageIndex()
	if err != nil {
		return nil, platform.Platform{}, err
	}
	m, err := idx.IndexManifest()
	if err != nil {
		return nil, platform.Platform{}, err
	}
	var chosen []child
	var have []string
	for _, d := range m.Manifests {
		listed := platform.From(d.Platform)
		if !listed.IsImage() || !d.MediaType.IsImage() {
			continue
		}
		if machine(listed) != machine(p) || p.OS == platform.Windows && !anyBuild && listed.OSVersion != "" && !platform.Same(listed, p) {
			have = append(have, listed.String())
			continue
		}
		img, err := idx.Image(d.Digest)
		if err != nil {
			return nil, platform.Platform{}, err
		}
		got, err := systemOf(img)
		if err != nil {
			return nil, platform.Platform{}, err
		}
		if got.OS == platform.Windows && got.OSVersion == "" {
			got.OSVersion = listed.OSVersion // some bases have it in the index alone
		}
		if listed.OSVersion == "" && p.OS == platform.Windows && !anyBuild && got.OSVersion != "" && !platform.Same(got, p) {
			have = append(have, got.String())
			continue
		}
		chosen = append(chosen, child{img, d.Digest, got})
	}
	switch {
	case len(chosen) == 0 && len(have) == 0:
		return nil, platform.Platform{}, unsuitable{errors.New("it has no image at all: name another base")}
	case len(chosen) == 0:
		return nil, platform.Platform{}, unsuitable{fmt.Errorf("it has no image for this platform, only for %s", strings.Join(have, ", "))}
	}
	if p.OS == platform.Windows {
		if other, ok := second(chosen); ok {
			return nil, platform.Platform{}, unsuitable{fmt.Errorf("it has two images for this platform, %s (%s) and %s (%s): name one by its digest in slipway.yaml",
				chosen[0].digest, chosen[0].system.String(), other.digest, other.system.String())}
		}
	}
	return chosen[0].image, chosen[0].system, matches(chosen[0].system, p, anyBuild)
}

// child is an image of an index that may be meant.
type child struct {
	image  v1.Image
	digest v1.Hash
	system platform.Platform
}

// second returns another image than the first.
func second(list []child) (child, bool) {
	for _, c := range list {
		if c.digest != list[0].digest {
			return c, true
		}
	}
	return child{}, false
}

// machine is a platform without its version.
func machine(p platform.Platform) string {
	if p.Architecture == "arm64" && p.Variant == "v8" {
		p.Variant = ""
	}
	return p.OS + "/" + p.Architecture + "/" + p.Variant
}

func systemOf(img v1.Image) (platform.Platform, error) {
	cf, err := img.ConfigFile()
	if err != nil {
		return platform.Platform{}, err
	}
	return platform.Platform{OS: cf.OS, Architecture: cf.Architecture, OSVersion: cf.OSVersion, Variant: cf.Variant}, nil
}

// matches returns an error unless the configuration of an image is for platform p.
func matches(got, p platform.Platform, anyBuild bool) error {
	switch {
	case anyBuild && machine(got) == machine(p):
		return nil
	case p.OS == platform.Windows && got.OS == platform.Windows && strings.Count(got.OSVersion, ".") != 3:
		return unsuitable{fmt.Errorf("its os.version %q has not four parts, so no host can tell whether it runs: use a base that has", got.OSVersion)}
	case !platform.Same(got, p):
		return unsuitable{fmt.Errorf("it is an image for %s: name the right base for this platform", got)}
	}
	return nil
}
