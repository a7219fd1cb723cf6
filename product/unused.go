package product

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Entry is a base, a program, a source or an image of slipway.yaml.
type Entry struct {
	Kind, Name string // Kind is base, program, source or image
	Pos        yamlfile.Pos
}

// unused returns the bases, programs and sources that nothing uses. In Dockerfiles and their
// arguments every word counts as a use: the values of their variables are unknown.
func (c *checker) unused() []Entry {
	u := uses{bases: map[string]bool{}, programs: map[string]bool{}, sources: map[string]bool{}}
	add(u.sources, c.placesUsed...)
	for _, i := range c.out.Images {
		u.image(i)
	}
	for _, a := range c.out.Artifacts {
		add(u.programs, a.Programs...)
	}
	for _, t := range c.out.Release.Inputs() {
		add(u.sources, t.Source)
	}
	for _, k := range c.out.Charts {
		add(u.sources, k.Source)
	}
	for _, p := range c.out.Programs {
		add(u.sources, p.Source)
	}
	var list []Entry
	for n, b := range c.out.Bases {
		if !u.allBases && !u.bases[b.Name] && !u.inText(b.Name) && !u.repository(b) {
			list = append(list, Entry{"base", b.Name, c.Pos(&c.in.Bases[n].Name)})
		}
	}
	for n, p := range c.out.Programs {
		if !u.programs[p.Name] && !u.allPrograms {
			list = append(list, Entry{"program", p.Name, c.Pos(&c.in.Programs[n].Name)})
		}
	}
	for n, s := range c.out.Sources {
		if !u.sources[s.Name] {
			list = append(list, Entry{"source", s.Name, c.Pos(&c.in.Sources[n].Name)})
		}
	}
	return list
}

// uses gathers names that are used.
type uses struct {
	bases, programs, sources map[string]bool
	allPrograms              bool     // a Dockerfile may copy any of them
	allBases                 bool     // a Dockerfile that is not known yet may name any of them
	texts                    []string // of Dockerfiles, and what they get as arguments
}

func (u *uses) image(i Image) {
	add(u.sources, i.Source)
	add(u.bases, slices.Collect(maps.Values(i.Bases))...)
	i.Content.uses(u)
}

// repository reports whether a Dockerfile names the repository of a base.
func (u *uses) repository(b Base) bool {
	return slices.ContainsFunc(b.InPlaceOf, func(r name.Reference) bool { return u.names(r.Context()) }) ||
		slices.ContainsFunc(b.Images, func(i BaseImage) bool {
			upstream, _, _ := strings.Cut(i.Upstream, ":")
			return u.names(i.Reference.Context()) || upstream != "" && u.has(upstream)
		})
}

// names reports whether a Dockerfile names a repository, that of Docker Hub in any spelling.
func (u *uses) names(r name.Repository) bool {
	if r.RegistryStr() != name.DefaultRegistry {
		return u.has(r.Name())
	}
	short := strings.TrimPrefix(r.RepositoryStr(), "library/")
	return u.inText(short) || u.has(r.RepositoryStr()) || u.has("docker.io/"+short)
}

func (u *uses) has(part string) bool {
	return slices.ContainsFunc(u.texts, func(text string) bool { return strings.Contains(text, part) })
}

// inText reports whether a name is a word of a Dockerfile.
func (u *uses) inText(name string) bool {
	word := regexp.MustCompile(`(?:^|[^\w./-])` + regexp.QuoteMeta(name) + `(?:$|[^\w./-])`)
	return slices.ContainsFunc(u.texts, func(text string) bool {
		return strings.Contains(text, name) && word.MatchString(text)
	})
}

func add(set map[string]bool, names ...string) {
	for _, n := range names {
		set[n] = true
	}
}
