package product

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// checker turns slipway.yaml into a Product and reports the mistakes.
type checker struct {
	*yamlfile.Document

	in  *productYAML
	out *Product

	sources, bases, programs, images, charts, groupNames names

	rebuild      *Rebuild            // nil if nothing is rebuilt
	revisions    map[string]revision // of sources, by name
	repositories []*string           // the template of each of the destinations; nil for the usual one
	unselected   []destination       // of slipway.yaml, whose names are checked all the same
	placesUsed   []string            // sources that paths are in

	replaced map[string]bool // references that a builtin base takes the place of

	imagePaths []string // of images in files, each once

	demands yamlfile.Errors // what only a release to a registry asks for
	// changed reports that the version is that of a commit and the work tree has changes; nil
	// without changes.
	changed func(report func(yamlfile.Pos, string, ...any))
	known   *history     // what git knows; nil until it is asked
	channel *channelYAML // of this run; nil without one
}

func newChecker(path, dir string, b []byte) *checker {
	c := &checker{
		in: &productYAML{}, replaced: map[string]bool{},
		out: &Product{Dir: dir, Path: path, modes: &git.Modes{}},
	}
	c.Document = decode(path, b, c.in)
	return c
}

// check fills in everything from slipway.yaml.
func (c *checker) check() {
	c.identity()
	c.platforms()

	// Names first: anything may refer to anything.
	c.sources = c.collect("source", &c.in.Sources, each(c.in.Sources, func(s *sourceYAML) *string { return &s.Name }),
		fileForm)
	c.bases = c.collect("base", &c.in.Bases, each(c.in.Bases, func(b *baseYAML) *string { return &b.Name }),
		repositoryForm)
	c.programs = c.collect("program", &c.in.Programs,
		each(c.in.Programs, func(p *programYAML) *string { return &p.Name }), fileForm)
	c.images = c.collect("image", &c.in.Images, each(c.in.Images, func(i *imageYAML) *string { return &i.Name }),
		repositoryForm)
	c.charts = c.collect("chart", &c.in.Charts, each(c.in.Charts, func(i *chartYAML) *string { return &i.Name }),
		repositoryForm)

	forEach(c.in.Sources, c.source)
	forEach(c.in.Bases, c.base)
	forEach(c.in.Programs, c.program)
	forEach(c.in.Images, c.image)
	c.artifacts()
	forEach(c.in.Charts, c.chart)
	c.release()
	forEach(c.in.Undecided, func(u *undecidedYAML) {
		one := Undecided{Key: u.Key, What: u.What, Pos: c.Pos(&u.Key)}
		for _, v := range u.Candidates {
			one.Candidates = append(one.Candidates, Candidate(v))
		}
		c.out.Undecided = append(c.out.Undecided, one)
	})
	forEach(c.in.Lint.Allow, func(a *allowYAML) {
		c.out.Lint.Allow = append(c.out.Lint.Allow, Allow{a.Rule, a.Object, a.Path, a.Reason, c.Pos(&a.Rule)})
	})
	c.airgap()
	c.something()
	if len(c.Errors) == 0 {
		c.artifactNames()
	}
	if len(c.Errors) == 0 {
		c.out.Unused = c.unused()
	}
}

// something reports a product of nothing.
func (c *checker) something() {
	if len(c.in.Images)+len(c.in.Charts)+len(c.in.Artifacts) == 0 && c.out.Release.Empty() &&
		c.in.Airgap.Images == "" && !c.images.open && len(c.Errors) == 0 {
		c.At(yamlfile.Pos{File: c.out.Path, Line: 1, Column: 1}, "there is nothing to release: "+
			"add images, charts, artifacts, templates under release, or a list of images under airgap.images")
	}
}

// forEach calls do with the address of each element: by it the document knows where it is from.
func forEach[T any](list []T, do func(*T)) {
	for i := range list {
		do(&list[i])
	}
}

var tagForm = form{
	lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`),
	"use letters, digits, . _ and -, since it becomes a tag",
}

func (c *checker) identity() {
	c.checkForm(&c.in.Name, "name", repositoryForm)
	c.out.Name, c.out.Description = c.in.Name, c.in.Description
}

func (c *checker) platforms() {
	forEach(c.in.Platforms, func(s *string) {
		if p, ok := c.platform(s, c.out.Platforms); ok {
			c.out.Platforms = append(c.out.Platforms, p)
		}
	})
	platform.Sort(c.out.Platforms)
}

// platform reads a platform that must be another system than those before it.
func (c *checker) platform(s *string, before []platform.Platform) (platform.Platform, bool) {
	if *s == "" {
		return platform.Platform{}, false
	}
	p, err := platform.Parse(*s)
	if err == nil {
		err = cmp.Or(p.CheckVariant(), p.Check())
	}
	if err != nil {
		c.Errorf(s, "%v", err)
		return platform.Platform{}, false
	}
	if same, ok := findPlatform(before, p); ok {
		c.Errorf(s, "%s", sameSystem(same, p))
		return platform.Platform{}, false
	}
	return p, true
}

func sameSystem(a, b platform.Platform) string {
	x, y := a.String(), b.String()
	if x == y {
		return x + " is listed twice: keep one"
	}
	if a.OS == platform.Windows {
		return x + " and " + y + " are one Windows build, and a node takes either: keep one"
	}
	return x + " and " + y + " are one system: keep one"
}

func findPlatform(list []platform.Platform, p platform.Platform) (platform.Platform, bool) {
	for _, o := range list {
		if platform.Same(o, p) {
			return o, true
		}
	}
	return platform.Platform{}, false
}

// among returns the platforms of a list that are among those chosen.
func among(list, chosen []platform.Platform) []platform.Platform {
	return slices.DeleteFunc(slices.Clone(list), func(p platform.Platform) bool {
		_, ok := findPlatform(chosen, p)
		return !ok
	})
}

func formatAll(list []platform.Platform) string {
	s := make([]string, 0, len(list))
	for _, p := range list {
		s = append(s, p.String())
	}
	return strings.Join(s, ", ")
}

// systems are the operating systems of platforms.
func systems(list []platform.Platform) []string {
	var all []string
	for _, p := range list {
		all = append(all, p.OS)
	}
	return slices.Compact(all)
}
