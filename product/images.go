package product

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/platform"
)

func (c *checker) image(in *imageYAML) {
	i := Image{
		Name: in.Name, Description: in.Description, Source: in.Source, Bases: in.Bases, Labels: in.Labels,
		Compression:         cmp.Or(in.Compression, "gzip"),
		AllowOtherPlatforms: in.AllowOtherPlatforms, AllowLibraries: in.AllowLibraries,
		Platforms: c.chosen(in.Platforms), Pos: c.Pos(&in.Name),
	}
	c.refer(&in.Source, c.sources)
	for _, key := range slices.Sorted(maps.Keys(in.Bases)) {
		if !isOS(key) {
			c.KeyErrorf(&in.Bases, key, "unknown operating system %s: use linux or windows", key)
		}
	}
	for n, pattern := range in.AllowOtherPlatforms {
		if _, err := path.Match(pattern, ""); err != nil || !path.IsAbs(pattern) || path.Clean(pattern) != pattern {
			c.Errorf(&in.AllowOtherPlatforms[n], "%q is not a pattern for paths of an image: "+
				"write an absolute path, in which * matches part of a name", pattern)
		}
	}
	for n, pattern := range in.AllowLibraries {
		if _, err := path.Match(pattern, ""); pattern != "" && (err != nil || path.Base(pattern) != pattern) {
			c.Errorf(&in.AllowLibraries[n], "%q is not a pattern for names of libraries: "+
				"write a name without a directory, in which * matches part of it", pattern)
		}
	}
	c.prebuiltImages(in, &i)
	for _, k := range imageKinds {
		if !k.given(in) {
			continue
		}
		if k.withoutBases != "" && c.Given(&in.Bases) && (i.Kind == "" || k.name != "prebuilt") {
			c.Errorf(&in.Bases, "bases are for go images: %s", k.withoutBases)
		}
		if i.Kind != "" && k.name != "prebuilt" {
			c.Errorf(in, "%s and %s exclude each other: keep one of them", i.Kind, k.name)
		}
		if i.Kind == "" {
			i.Kind, i.Content = k.name, k.check(c, in, &i)
		}
	}
	c.out.Images = append(c.out.Images, i)
}

// chosen returns the platforms of the release that a list of slipway.yaml names.
func (c *checker) chosen(names []string) []platform.Platform {
	return c.choose(names, func(s *string, err error) {
		if *s != "" && !c.partly() {
			c.Errorf(s, "%v", err)
		}
	})
}

// choose returns the platforms of the release that a list names, sorted; all where it names none.
func (c *checker) choose(names []string, report func(*string, error)) []platform.Platform {
	if len(names) == 0 {
		return slices.Clone(c.out.Platforms)
	}
	var chosen []platform.Platform
	forEach(names, func(s *string) {
		found, err := pick(*s, c.out.Platforms)
		if err != nil {
			report(s, err)
		}
		chosen = append(chosen, found...)
	})
	platform.Sort(chosen)
	return slices.CompactFunc(chosen, platform.Same)
}

// partly reports whether some platforms of the release could not be read.
func (c *checker) partly() bool {
	return len(c.out.Platforms) != len(c.in.Platforms) || len(c.in.Platforms) == 0
}

// pick returns the platforms that s names: one, or all of an operating system.
func pick(s string, from []platform.Platform) ([]platform.Platform, error) {
	if isOS(s) {
		all := slices.DeleteFunc(slices.Clone(from), func(p platform.Platform) bool { return p.OS != s })
		if len(all) == 0 {
			return nil, errorText("the release has no platform of " + s + ", only " + formatAll(from) +
				": add one under platforms, or take it out")
		}
		return all, nil
	}
	p, err := platform.Parse(s)
	if err != nil {
		return nil, err
	}
	same, ok := findPlatform(from, p)
	if !ok {
		return nil, errorText("the release has no platform " + s + ": use one of " + formatAll(from) +
			", or linux or windows for all of these")
	}
	return []platform.Platform{same}, nil
}

// errorText is an error of one sentence with its remedy.
type errorText string

func (e errorText) Error() string { return string(e) }
