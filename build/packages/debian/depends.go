package debian

import (
	"cmp"
	"fmt"
	"slices"
)

// relations returns the relations of a package in apt's order: by fields, then those that
// Multi-Arch implies. They are parsed when they are first needed, since most packages of an index
// never come into question. The first mistake in one of them is kept in u.fault.
func (u *Universe) relations(p *Package) []*dependency {
	if p.parsed {
		return p.deps
	}
	p.parsed = true
	for k := range kinds {
		u.relationsOf(p, kind(k), p.stanza.get(kinds[k]))
	}
	u.implied(p)
	for n, d := range p.deps {
		d.index, d.number = n, u.dependencies
		u.dependencies++
	}
	return p.deps
}

func (u *Universe) relationsOf(p *Package, k kind, field string) {
	for rest := field; rest != ""; {
		name, op, version, or, next, err := cutRelation(rest)
		if err != nil {
			u.fault = cmp.Or(u.fault, fmt.Errorf("%s: %s: %w", p, k, err))
			return
		}
		rest = next
		for _, target := range u.targets(p, k, name) {
			p.deps = append(p.deps, &dependency{
				parent: p, target: target, op: op, version: version, kind: k, or: or && rest != "",
			})
		}
	}
}

// targets returns the slots that a relation is about: one, but for relations that forbid a name
// for every architecture.
func (u *Universe) targets(p *Package, k kind, name string) []*slot {
	base, arch, qualified := cutArch(name)
	switch {
	case qualified && arch == "native":
		return []*slot{u.slot(base+":"+u.native, anyArch)}
	case qualified:
		return []*slot{u.slot(name, anyArch)}
	case k.negative():
		if f := u.families[name]; f != nil && len(f.slots) > 0 {
			return f.slots
		}
	}
	return []*slot{u.slot(name, p.slot.arch)}
}

// implied adds the relations between the architectures of a package: those with Multi-Arch: same
// must have the same version, and others exclude each other.
func (u *Universe) implied(p *Package) {
	for _, s := range p.slot.family.slots {
		if s == p.slot || s.arch == p.slot.arch || len(s.versions) == 0 {
			continue
		}
		d := &dependency{parent: p, target: s, kind: conflicts, implicit: true}
		if p.multiArch == maSame {
			d.kind, d.op, d.version = breaks, notEqual, p.Version
		}
		p.deps = append(p.deps, d)
	}
}

// addTargets makes the slots that the relations of all packages are about, as apt's cache has them.
// That a name is known for another architecture counts only if there is one, and else most
// relations are never read.
func (u *Universe) addTargets() {
	if len(u.foreign) == 0 {
		return
	}
	for _, s := range slices.Clone(u.slots) {
		for _, p := range s.versions {
			for _, field := range relationFields {
				for rest := p.stanza.get(field); rest != ""; {
					name, _, _, _, next, err := cutRelation(rest)
					if err != nil {
						break // relations reports it if the package comes into question
					}
					rest = next
					if _, _, qualified := cutArch(name); !qualified {
						u.slot(name, s.arch)
					}
				}
			}
		}
	}
}

// complete records for every package which installed packages depend on it, once.
func (u *Universe) complete() {
	if u.completed {
		return
	}
	u.completed = true
	u.addTargets()
	for _, s := range u.slots {
		s.reverse = nil
		for _, p := range s.versions {
			p.parsed, p.deps = false, nil
		}
	}
	u.dependencies = 0
	for _, s := range u.installed {
		for _, d := range u.relations(s.installed) {
			if !d.kind.negative() {
				d.target.reverse = append(d.target.reverse, d)
			}
		}
	}
}
