package product

import (
	"maps"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/platform"
)

func (c *checker) image(in *imageYAML) {
	i := Image{
		Name: in.Name, Description: in.Description, Source: in.Source, Bases: in.Bases, Labels: in.Labels, Compression: in.Compression,
		Foreign: in.ForeignPrograms, Platforms: c.chosen(in.Platforms), Pos: c.Pos(&in.Name),
	}
	if i.Compression == "" {
		i.Compression = "gzip"
	}
	c.refer(&in.Source, c.sources)
	for _, key := range slices.Sorted(maps.Keys(in.Bases)) {
		if !isOS(key) {
			c.KeyErrorf(&in.Bases, key, "unknown operating system %s: use linux or windows", key)
		}
	}
	for n, pattern := range in.ForeignPrograms {
		if _, err := path.Match(pattern, ""); err != nil || !path.IsAbs(pattern) || path.Clean(pattern) != pattern {
			c.Errorf(&in.ForeignPrograms[n], "%q is no pattern for paths of an image: write an absolute path, in which * stands for a part of a name", pattern)
		}
	}
	if in.Go == nil && c.Given(&in.Bases) {
		c.Errorf(&in.Bases, "bases are for go images: %s", map[bool]string{
			true: "name the base by FROM in the Dockerfile", false: "take them out",
		}[in.Dockerfile != nil])
	}
	switch {
	case in.Go != nil:
		c.goImage(in, &i)
	case in.Dockerfile != nil:
		if in.Source == "" && !c.Bad(&in.Source) {
			c.Errorf(in, "source is missing: name the source whose url, revision and licenses label the image")
		}
		c.dockerfile(in, &i)
	case in.Lifecycle != nil:
		c.lifecycle(in, &i)
	}
	c.out.Images = append(c.out.Images, i)
}

// chosen returns the platforms of the release that a list names, sorted; all where it names none.
func (c *checker) chosen(names []string) []v1.Platform {
	if len(names) == 0 {
		return slices.Clone(c.out.Platforms)
	}
	var chosen []v1.Platform
	for i := range names {
		if names[i] == "" {
			continue
		}
		found, err := pick(names[i], c.out.Platforms)
		if err != nil && !c.partly() {
			c.Errorf(&names[i], "%v", err)
		}
		chosen = append(chosen, found...)
	}
	platform.Sort(chosen)
	return slices.CompactFunc(chosen, platform.Same)
}

// partly reports whether some platforms of the release could not be read.
func (c *checker) partly() bool {
	return len(c.out.Platforms) != len(c.in.Platforms) || len(c.in.Platforms) == 0
}

// pick returns the platforms that s stands for: one, or all of an operating system.
func pick(s string, from []v1.Platform) ([]v1.Platform, error) {
	if isOS(s) {
		all := slices.DeleteFunc(slices.Clone(from), func(p v1.Platform) bool { return p.OS != s })
		if len(all) == 0 {
			return nil, errorText("the release has no platform of " + s + ", only " + formatAll(from) + ": add one under platforms, or take it out")
		}
		return all, nil
	}
	p, err := platform.Parse(s)
	if err != nil {
		return nil, err
	}
	same, ok := findPlatform(from, p)
	if !ok {
		return nil, errorText("the release has no platform " + s + ": use one of " + formatAll(from) + ", or linux or windows for all of these")
	}
	return []v1.Platform{same}, nil
}

// errorText is an error of one sentence with its remedy.
type errorText string

func (e errorText) Error() string { return string(e) }

func (c *checker) goImage(in *imageYAML, i *Image) {
	i.Go = &GoImage{Program: in.Go.Program}
	for _, os := range systems(i.Platforms) {
		c.stands(in, os, i.Platforms)
	}
	if !c.refer(&in.Go.Program, c.programs) {
		return
	}
	p := c.out.Program(in.Go.Program)
	if i.Source == "" {
		i.Source = p.Source
	}
	for _, os := range systems(i.Platforms) {
		if len(p.Systems) > 0 && !slices.Contains(p.Systems, os) {
			c.Errorf(&in.Go.Program, "program %s is for %s only: restrict the image with platforms: [%s]",
				p.Name, strings.Join(p.Systems, " and "), strings.Join(p.Systems, ", "))
		}
	}
}

// lifecycle fills in an image that is one manifest for linux/amd64, whatever the release has
// besides: kpack takes that one from an index, and its layers carry both systems.
func (c *checker) lifecycle(in *imageYAML, i *Image) {
	i.Lifecycle = &LifecycleImage{Source: in.Lifecycle.Source, Version: in.Lifecycle.Version}
	c.refer(&in.Lifecycle.Source, c.sources)
	if i.Source == "" {
		i.Source = in.Lifecycle.Source
	}
	if in.Compression != "" && in.Compression != "gzip" {
		c.Errorf(&in.Compression, "kpack loads a lifecycle of gzip layers only: take compression out")
	}
	if c.Given(&in.Platforms) {
		c.Errorf(&in.Platforms, "a lifecycle image is always one manifest for linux/amd64 that holds both systems: take platforms out")
	}
	amd64 := v1.Platform{OS: platform.Linux, Architecture: "amd64"}
	if _, ok := findPlatform(c.out.Platforms, amd64); !ok && !c.partly() {
		c.Errorf(in, "a lifecycle image needs linux/amd64, which kpack loads: add linux/amd64 under platforms")
	}
	i.Platforms = []v1.Platform{amd64}
}
