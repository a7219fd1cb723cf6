package product

import (
	"slices"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// GoFlags is what the go command gets for programs: flags of the linker, which are text/template
// strings over [BuildInfo], flags and environment of go build, and build tags. A list that is not
// nil replaces that of a source's .ko.yaml.
type GoFlags struct{ Ldflags, Flags, Env, Tags []string }

// SystemFlags are GoFlags for the programs of one operating system.
type SystemFlags struct {
	OS string
	GoFlags
}

// For returns what applies to the source's programs for an operating system.
func (s Source) For(os string) GoFlags { return s.with(s.Systems, os) }

// For returns what applies to the program for an operating system, besides that of its source.
func (p Program) For(os string) GoFlags { return p.with(p.Systems, os) }

func (f GoFlags) with(systems []SystemFlags, os string) GoFlags {
	for _, s := range systems {
		if s.OS == os {
			f = f.And(s.GoFlags)
		}
	}
	return f
}

// And returns both, those of f first. A list is nil only if both are.
func (f GoFlags) And(g GoFlags) GoFlags {
	return GoFlags{and(f.Ldflags, g.Ldflags), and(f.Flags, g.Flags), and(f.Env, g.Env), and(f.Tags, g.Tags)}
}

func and(a, b []string) []string {
	if a == nil && b == nil {
		return nil
	}
	return append(append([]string{}, a...), b...)
}

var buildTag = lazyregexp.New(`^[\pL\pN_.]+$`)

// goTags checks build tags.
func (c *checker) goTags(tags []string) {
	for i := range tags {
		if tags[i] != "" && !buildTag.MatchString(tags[i]) {
			c.Errorf(&tags[i], "%q is not a build tag: write letters, digits, _ and . of one tag", tags[i])
		}
	}
	c.once(tags)
}

// systems checks the flags of single operating systems, for programs of source s. on are the
// systems that the programs are for; none means all.
func (c *checker) systems(in []systemYAML, on []string, s Source) (all []SystemFlags) {
	for n := range in {
		y := &in[n]
		c.goFlags(y.Ldflags, y.Flags, y.Env, s)
		c.goTags(y.Tags)
		if y.OS != "" && len(on) > 0 && !slices.Contains(on, y.OS) {
			c.Errorf(&y.OS, "the program is not for %s: take this out, or add %s to os", y.OS, y.OS)
		}
		all = append(all, SystemFlags{y.OS, GoFlags{y.Ldflags, y.Flags, y.Env, y.Tags}})
	}
	return all
}
