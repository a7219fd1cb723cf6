package product

import (
	"cmp"

	"github.com/slipway-dev/slipway/platform"
)

// lifecycleYAML is the buildpacks lifecycle as one image with a Linux and a Windows layer.
type lifecycleYAML struct {
	// The source of the lifecycle.
	Source string `yaml:"source" jsonschema:"required"`
	// Its version without a leading v.
	Version string `yaml:"version" jsonschema:"required"`
}

// LifecycleImage is the buildpacks lifecycle in the form that kpack's controller loads.
type LifecycleImage struct {
	Source  string // the lifecycle's source
	Version string // as lifecycle.toml reports it
}

func (l *LifecycleImage) uses(u *uses) { add(u.sources, l.Source) }

// lifecycleImage reads an image that is one manifest for linux/amd64, whatever the release has
// besides: kpack takes that one from an index, and its layers serve both operating systems.
func (c *checker) lifecycleImage(in *imageYAML, i *Image) Content {
	c.refer(&in.Lifecycle.Source, c.sources)
	i.Source = cmp.Or(i.Source, in.Lifecycle.Source)
	if in.Prebuilt != nil {
		c.Errorf(&in.Prebuilt, "a lifecycle image is one manifest for two operating systems: take prebuilt out")
	}
	if in.Compression != "" && in.Compression != "gzip" {
		c.Errorf(&in.Compression, "kpack loads a lifecycle of gzip layers only: take compression out")
	}
	if c.Given(&in.Platforms) {
		c.Errorf(&in.Platforms, "a lifecycle image is always one manifest for linux/amd64 with "+
			"layers for both operating systems: take platforms out")
	}
	amd64 := platform.Platform{OS: platform.Linux, Architecture: "amd64"}
	if _, ok := findPlatform(c.out.Platforms, amd64); !ok && !c.partly() {
		c.Errorf(in, "a lifecycle image needs linux/amd64, which kpack loads: add linux/amd64 under platforms")
	}
	i.Platforms = []platform.Platform{amd64}
	return &LifecycleImage{Source: in.Lifecycle.Source, Version: in.Lifecycle.Version}
}
