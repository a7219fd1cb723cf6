package scaffold

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/scaffold/shell"
)

// flagKeys are the fields of a source for its compiler.
var flagKeys = []string{"ldflags", "tags", "env"}

// plain is the key of a build that gives the compiler nothing.
const plain = "plain"

// open reports whether a build tag is not known.
func (f compilerFlag) open() bool { return f.key == "tags" && shell.Unknown(f.text) }

// same reports whether another build gives the same.
func (f compilerFlag) same(o compilerFlag) bool { return f.key == o.key && f.text == o.text }

// repeats reports whether another build gives the same program the same.
func (f compilerFlag) repeats(o compilerFlag) bool { return f.same(o) && f.of == o.of }

// flagSet is what the builds of one file give the compiler, those of its highest rank.
type flagSet struct {
	flags []compilerFlag
	rank  rank
}

// value names what a set gives programs.
func (s flagSet) value() string {
	var all []string
	for _, f := range s.flags {
		if stripping(f.text) != f.text && f.key != plain {
			all = append(all, shownVersion.Replace(f.text))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "; ")
}

// shownVersion puts in what people read for the version of the tag v1.2.3.
var shownVersion = strings.NewReplacer(asTag, withV, asBare, withoutV, asNamed, "{{.Version}}")

// flagSets are the sets of files that compile programs of the release.
func (d *Draft) flagSets() map[string]flagSet {
	sets, open := map[string]flagSet{}, map[string]bool{}
	for _, key := range append(slices.Clone(flagKeys), plain) {
		for _, f := range d.flags {
			of := func(p program) bool { return f.of == "" || f.of == p.dir }
			if f.key != key || !slices.ContainsFunc(d.programs, of) {
				continue
			}
			file := f.at.file
			if d.make.Files[file] {
				file = "Makefile" // all of them are one
			}
			if f.open() {
				open[file] = true
			}
			switch s := sets[file]; {
			case key == plain && f.rank != publishes:
				// what else the file gives tells more
			case len(s.flags) == 0 || s.rank < f.rank:
				sets[file] = flagSet{[]compilerFlag{f}, f.rank}
			case s.rank == f.rank && !slices.ContainsFunc(s.flags, f.repeats):
				sets[file] = flagSet{append(s.flags, f), f.rank}
			}
		}
	}
	d.splitSets(sets)
	for file := range open { // what it gives is not known, and so nothing of that rank proves anything
		r := sets[file].rank
		for other, s := range sets {
			if s.rank <= r {
				sets[other] = flagSet{s.flags, min(s.rank, develops)}
			}
		}
	}
	return sets
}

// splitSets makes a set for each program of those that give programs what contradicts: another value
// of a variable, or other build tags and another environment.
func (d *Draft) splitSets(sets map[string]flagSet) {
	for _, file := range sortedKeys(sets) {
		s := sets[file]
		of := map[string]flagSet{}
		for _, p := range d.programs {
			now := flagSet{rank: s.rank}
			for _, f := range s.flags {
				if f.of == "" || f.of == p.dir {
					now.flags = append(now.flags, f)
				}
			}
			if slices.ContainsFunc(now.flags, func(f compilerFlag) bool { return f.of != "" }) {
				of[p.name] = now
			}
		}
		contradicts := false
		for _, a := range of {
			for _, b := range of {
				contradicts = contradicts || a.contradicts(b)
			}
		}
		if !contradicts {
			continue
		}
		delete(sets, file)
		for name, now := range of {
			sets[file+" "+name] = now
		}
	}
}

// contradicts reports whether one set of flags cannot be there for the programs of both.
func (s flagSet) contradicts(o flagSet) bool {
	return slices.ContainsFunc(s.flags, func(f compilerFlag) bool {
		name, value, _ := strings.Cut(f.text, "=")
		if f.key != "ldflags" {
			return f.key != plain && !slices.ContainsFunc(o.flags, f.same)
		}
		return slices.ContainsFunc(o.flags, func(other compilerFlag) bool {
			n, v, _ := strings.Cut(other.text, "=")
			return other.key == f.key && n == name && v != value
		})
	})
}

// flagClaims are the values of sets, the likeliest first. One that only strips programs counts if
// it is the only one.
func (d *Draft) flagClaims(sets map[string]flagSet) (claims []claim) {
	for _, file := range sortedKeys(sets) {
		if s := sets[file]; !d.onlyKo() || s.rank == publishes { // ko does not run make
			claims = append(claims, claim{s.value(), s.rank, s.flags[0].at})
		}
	}
	slices.SortStableFunc(claims, func(a, b claim) int {
		more := cmp.Compare(strings.Count(b.value, "; "), strings.Count(a.value, "; "))
		return cmp.Or(cmp.Compare(b.rank, a.rank), more)
	})
	if len(claims) > 0 && claims[0].value != "" { // what only strips programs, or gives nothing, of a lower rank
		claims = slices.DeleteFunc(claims, func(c claim) bool { return c.value == "" && c.rank < claims[0].rank })
	}
	return claims
}

// decideFlags decides the flags of programs: those of builds that publish, if these agree. The
// result reports whether that changes something.
func (d *Draft) decideFlags() bool {
	sets := d.flagSets()
	claims := d.flagClaims(sets)
	var all []string
	for _, c := range claims {
		all = append(all, c.value)
	}
	if len(all) == 0 && len(d.unread) > 0 && !d.isAsked("flags") {
		d.lacks("flags", "what compiles the programs of a release, ldflags, tags and env of the source: %s runs "+
			"something that nothing here tells more of; write what it gives the compiler, or take this out if it "+
			"gives nothing", d.unread[0])
	}
	if now := strings.Join(all, "\n"); len(all) == 0 || d.flagged == now+"." {
		return false
	} else {
		d.flagged = now + "."
	}
	d.Questions = slices.DeleteFunc(d.Questions, func(q Question) bool { return q.Key == "flags" })
	value := claims[0].value
	if value != "" || len(candidates(claims)) > 1 {
		for n := range claims {
			claims[n].value = cmp.Or(claims[n].value, none)
		}
		why := "only builds of developers give these, or they are not known without make"
		if claims[0].rank == publishes {
			why = "what publishes gives different ones"
		}
		value = d.decide("flags", "what compiles the programs of a release, ldflags, tags and env of the source: "+why,
			append(claims, claim{value: none}))
		if value == none {
			value = ""
		}
	}
	before := d.chosen
	d.choose(sets, value)
	return !slices.EqualFunc(before, d.chosen, compilerFlag.same)
}

// choose takes the flags of the sets with a value.
func (d *Draft) choose(sets map[string]flagSet, value string) {
	d.chosen = nil
	for _, file := range sortedKeys(sets) {
		if s := sets[file]; s.value() == value {
			for _, f := range s.flags {
				if f.key != plain && !f.open() && !slices.ContainsFunc(d.chosen, f.same) {
					d.chosen = append(d.chosen, f)
				}
			}
		}
	}
}

// leaveFlags says what developers' builds give besides.
func (d *Draft) leaveFlags() {
	sets := d.flagSets()
	for _, file := range sortedKeys(sets) {
		if s := sets[file]; s.rank != publishes && s.value() != "" && !d.isAsked("flags") &&
			!slices.EqualFunc(s.flags, d.chosen, compilerFlag.same) {
			d.leave("what developers' builds give the compiler", "%s (%s)", s.value(), s.flags[0].at)
		}
	}
}

// onlyKo reports whether nothing but ko compiles programs.
func (d *Draft) onlyKo() bool {
	return len(d.archived) == 0 &&
		!slices.ContainsFunc(d.images, func(i image) bool { return len(i.outputs()) > 0 })
}

// decideForm asks for the form of the version that programs and arguments get, where images have
// another one than tags of git, and nothing tells. The result reports whether that changes
// something.
func (d *Draft) decideForm() bool {
	if d.form != "" || d.tagPrefix == "" || d.version != "git" {
		return false
	}
	var open []claim
	for _, f := range d.chosen {
		if strings.Contains(f.text, asNamed) {
			open = append(open, claim{withoutV, develops, f.at})
		}
	}
	for _, i := range d.images {
		for _, p := range i.parts {
			for name, v := range p.args {
				if strings.Contains(v, asNamed) {
					open = append(open, claim{withoutV, develops, place{p.from.path, p.from.lines[name]}})
				}
			}
		}
	}
	if len(open) == 0 {
		return false
	}
	slices.SortFunc(open, func(a, b claim) int { return strings.Compare(a.at.String(), b.at.String()) })
	d.form = d.decide("versions", "the version that programs and arguments of Dockerfiles get for the tag "+
		"v1.2.3 of git: images have 1.2.3", append(open, claim{value: withV}))
	return d.form == withV
}
