package debian_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/packages/debian"
)

// world is a small random repository with two suites, and an installation made from it.
type world struct {
	rnd      *rand.Rand
	archs    []string
	stable   []stanza
	updates  []stanza
	status   string
	auto     string
	names    []string
	virtuals []string
}

// stanza is a package, as fields in order.
type stanza struct {
	name, version, arch string
	fields              []string
}

func (s stanza) String() string {
	return fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: %s\n%s", s.name, s.version, s.arch,
		strings.Join(s.fields, ""))
}

func newWorld(rnd *rand.Rand, multi bool) *world {
	w := &world{rnd: rnd, archs: []string{"amd64"}}
	if multi {
		w.archs = append(w.archs, "i386")
	}
	for n := range 6 + rnd.IntN(14) {
		w.names = append(w.names, fmt.Sprintf("p%d", n))
	}
	for n := range rnd.IntN(4) {
		w.virtuals = append(w.virtuals, fmt.Sprintf("v%d", n))
	}
	for _, name := range w.names {
		ma := ""
		if multi {
			ma = []string{"", "same", "foreign", "allowed"}[rnd.IntN(4)]
		} else if rnd.IntN(8) == 0 {
			ma = []string{"foreign", "allowed"}[rnd.IntN(2)]
		}
		for _, arch := range w.archsOf(ma) {
			w.stable = append(w.stable, w.pkg(name, fmt.Sprintf("%d", 1+rnd.IntN(2)), arch, ma))
			if rnd.IntN(3) == 0 {
				w.updates = append(w.updates, w.pkg(name, fmt.Sprintf("%d", 2+rnd.IntN(2)), arch, ma))
			}
		}
	}
	w.install()
	return w
}

func (w *world) archsOf(ma string) []string {
	switch {
	case ma != "same" && w.rnd.IntN(4) == 0:
		return []string{"all"}
	case len(w.archs) > 1 && w.rnd.IntN(3) == 0:
		return w.archs[:1]
	}
	return w.archs
}

// pkg returns a package with random relations.
func (w *world) pkg(name, version, arch, ma string) stanza {
	s := stanza{name: name, version: version, arch: arch}
	add := func(field, value string) { s.fields = append(s.fields, field+": "+value+"\n") }
	add("Priority", []string{"optional", "optional", "standard", "extra", "important"}[w.rnd.IntN(5)])
	add("Section", []string{"libs", "libs", "oldlibs", "metapackages"}[w.rnd.IntN(4)])
	if w.rnd.IntN(3) == 0 {
		add("Source", fmt.Sprintf("s%d (%s)", w.rnd.IntN(3), version))
	}
	if ma != "" {
		add("Multi-Arch", ma)
	}
	if w.rnd.IntN(30) == 0 {
		add("Essential", "yes")
	}
	add("Filename", "pool/"+name+"_"+version+"_"+arch+".deb")
	add("Size", fmt.Sprint(1000+w.rnd.IntN(1000)))
	add("SHA256", strings.Repeat(fmt.Sprintf("%02x", w.rnd.IntN(256)), 32))
	for _, r := range []struct {
		field  string
		chance int
		groups int
		alts   int
	}{
		{"Depends", 2, 3, 3},
		{"Pre-Depends", 12, 1, 2},
		{"Recommends", 5, 2, 3},
		{"Suggests", 8, 2, 2},
		{"Conflicts", 8, 2, 1},
		{"Breaks", 7, 2, 1},
		{"Replaces", 10, 1, 1},
	} {
		if w.rnd.IntN(r.chance) == 0 {
			add(r.field, w.relation(name, 1+w.rnd.IntN(r.groups), r.alts))
		}
	}
	if len(w.virtuals) > 0 && w.rnd.IntN(4) == 0 {
		p := w.virtuals[w.rnd.IntN(len(w.virtuals))]
		if w.rnd.IntN(3) == 0 {
			p += fmt.Sprintf(" (= %d)", 1+w.rnd.IntN(3))
		}
		add("Provides", p)
	} else if w.rnd.IntN(10) == 0 {
		add("Provides", w.names[w.rnd.IntN(len(w.names))]+fmt.Sprintf(" (= %d)", 1+w.rnd.IntN(3)))
	}
	return s
}

func (w *world) relation(own string, groups, alternatives int) string {
	var all []string
	for range groups {
		var group []string
		for range 1 + w.rnd.IntN(alternatives) {
			group = append(group, w.target(own))
		}
		all = append(all, strings.Join(group, " | "))
	}
	return strings.Join(all, ", ")
}

func (w *world) target(own string) string {
	name := w.names[w.rnd.IntN(len(w.names))]
	if len(w.virtuals) > 0 && w.rnd.IntN(4) == 0 {
		name = w.virtuals[w.rnd.IntN(len(w.virtuals))]
	}
	if name == own {
		name = w.names[0]
	}
	if w.rnd.IntN(12) == 0 {
		name += ":any"
	}
	if w.rnd.IntN(4) == 0 {
		name += fmt.Sprintf(" (%s %d)", []string{">=", "<<", "=", ">=", "<=", ">>"}[w.rnd.IntN(6)], 1+w.rnd.IntN(3))
	}
	return name
}

// install makes a status file: what some packages and their dependencies were, with changes.
func (w *world) install() {
	if w.rnd.IntN(4) == 0 {
		return
	}
	u := debian.NewUniverse(w.archs[0], w.archs[1:]...)
	for _, arch := range w.archs {
		if err := u.Add(&debian.Repository{}, arch, index(w.stable, arch)); err != nil {
			panic(err)
		}
	}
	r := debian.Request{Settings: debian.Settings{NoRecommends: w.rnd.IntN(2) == 0}}
	installed := map[string]bool{}
	for range 1 + w.rnd.IntN(4) {
		names := r.Names
		r.Names = append(slices.Clone(names), w.names[w.rnd.IntN(len(w.names))])
		plan, err := u.Resolve(r)
		if err != nil {
			r.Names = names
			continue
		}
		clear(installed)
		for _, c := range plan.Changes {
			installed[c.Name+" "+c.Arch] = true
		}
	}
	var status, auto strings.Builder
	for _, s := range w.stable {
		arch := s.arch
		if arch == "all" {
			arch = w.archs[0]
		}
		if !installed[s.name+" "+s.arch] {
			continue
		}
		want, state := "install", "installed"
		if w.rnd.IntN(10) == 0 {
			want = "hold"
		} else if w.rnd.IntN(40) == 0 {
			want, state = "deinstall", "config-files"
		}
		if w.rnd.IntN(4) == 0 {
			s.version = "0.5"
		}
		fmt.Fprintf(&status, "%sStatus: %s ok %s\n\n", s, want, state)
		if w.rnd.IntN(2) == 0 && state == "installed" {
			fmt.Fprintf(&auto, "Package: %s\nArchitecture: %s\nAuto-Installed: 1\n\n", s.name, arch)
		}
	}
	w.status, w.auto = status.String(), auto.String()
}

// index returns the Packages file of an architecture.
func index(packages []stanza, arch string) string {
	var b strings.Builder
	for _, s := range packages {
		if s.arch == arch || s.arch == "all" {
			fmt.Fprintf(&b, "%s\n", s)
		}
	}
	return b.String()
}
