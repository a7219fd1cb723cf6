package oci

import (
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/platform"
)

// ReadConfig reads the configuration of the manifest t, whatever its media type: that of an
// artifact gives mostly empty fields.
func (t *Tree) ReadConfig(get Get) (*v1.ConfigFile, error) {
	if t.Config == nil {
		return nil, fmt.Errorf("%s is not a manifest: it has no configuration", t.Desc.Digest)
	}
	d := *t.Config
	if d.Size > MaxConfig {
		return nil, TooLarge("configuration", d, MaxConfig)
	}
	raw, err := get(d)
	if err != nil {
		return nil, err
	}
	if err := checkSize("configuration", d, raw); err != nil {
		return nil, err
	}
	c := &v1.ConfigFile{}
	if err := Decode("configuration "+d.Digest.String(), raw, c, MaxValues); err != nil {
		return nil, outcome.Damage(err)
	}
	return c, nil
}

// ReadPlatforms returns the platforms of the tree as [Tree.Platforms] does. That of an image with
// a single manifest is in its configuration.
func (t *Tree) ReadPlatforms(get Get) ([]platform.Platform, error) {
	if t.Config != nil {
		c, err := t.ReadConfig(get)
		if err != nil {
			return nil, err
		}
		t.Desc.Platform = platform.FromConfig(c).V1()
	}
	return t.Platforms(), nil
}
