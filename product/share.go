package product

import (
	"slices"
	"time"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// Share is what one of several machines makes of a release.
type Share struct {
	Name      string // "shard 1 of 3", for messages
	Images    []Portion
	Artifacts []Portion
	// SourceDateEpoch is the time that was given to the release; zero if none was. The environment
	// does not count.
	SourceDateEpoch time.Time
}

// Portion is an image or an artifact for some of its platforms.
type Portion struct {
	Name      string              `json:"name"`
	Platforms []platform.Platform `json:"platforms"`
}

// share cuts the product down to a share, of all images even if there are none.
func (c *checker) share(s *Share) {
	p := c.out
	all := *p
	p.Unselected, p.Selected = &all, []string{s.Name}
	images := portions(c, "image", s.Images, p.Images, func(i *Image) (string, *[]platform.Platform) {
		return i.Name, &i.Platforms
	})
	artifacts := portions(c, "artifact", s.Artifacts, p.Artifacts, func(a *Artifact) (string, *[]platform.Platform) {
		return a.Name, &a.Platforms
	})
	if len(c.Errors) > 0 {
		return
	}
	p.Images, p.Artifacts = images, artifacts
	p.Platforms = slices.DeleteFunc(slices.Clone(p.Platforms), func(q platform.Platform) bool {
		return !slices.ContainsFunc(images, func(i Image) bool { _, ok := findPlatform(i.Platforms, q); return ok })
	})
	p.Airgap.Bundles, p.Airgap.Images = nil, nil // are of the complete release
}

// environment returns the function that looks up environment variables.
func (s *Share) environment(getenv func(string) string) func(string) string {
	if s == nil {
		return getenv
	}
	return func(name string) string {
		if name != epochVariable {
			return getenv(name)
		}
		return epochText(s.SourceDateEpoch)
	}
}

// portions returns the elements of all that a list names, with the platforms that it names only.
func portions[T any](c *checker, what string, list []Portion,
	all []T, of func(*T) (string, *[]platform.Platform),
) (left []T) {
	named := map[string]int{}
	for _, s := range list {
		named[s.Name]++
		at := slices.IndexFunc(all, func(t T) bool { name, _ := of(&t); return name == s.Name })
		if at < 0 || named[s.Name] > 1 || len(s.Platforms) == 0 {
			c.At(yamlfile.Pos{}, "the plan has the %s %q, which %s has not: plan again", what, s.Name, c.Name)
			continue
		}
		_, has := of(&all[at])
		for _, q := range s.Platforms {
			if _, ok := findPlatform(*has, q); !ok {
				c.At(yamlfile.Pos{}, "the plan has the %s %s for %s, and it is for %s: plan again",
					what, s.Name, q, formatAll(*has))
			}
		}
	}
	for _, t := range all {
		name, on := of(&t)
		at := slices.IndexFunc(list, func(s Portion) bool { return s.Name == name })
		if at < 0 {
			continue
		}
		*on = among(*on, list[at].Platforms)
		left = append(left, t)
	}
	return left
}
