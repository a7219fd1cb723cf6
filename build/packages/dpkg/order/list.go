package order

import (
	"cmp"
	"slices"
	"strings"
)

// flags are what is known of a package while the order is made.
type flags uint16

const (
	added flags = 1 << iota
	addPending
	inList
	immediate
	loop
	unpackedFlag
	configuredFlag
	removedFlag

	states = unpackedFlag | configuredFlag | removedFlag
)

func (p *pkg) set(f, mask flags) { p.flags = p.flags&^mask | f }

// visit is a way to follow the relations of a package.
type visit uint8

const (
	visitNothing visit = iota
	unpackCritical
	unpackPreDepends
	unpackPre
	unpackDependers
	configureFirst
	removeDependers
)

// list is apt's pkgOrderList.
type list struct {
	all                                   []*pkg
	items                                 []*pkg
	primary, secondary, dependers, remove visit
	depth                                 int
}

// newList marks what is configured early, and lists what changes.
func newList(all []*pkg) *list {
	l := &list{all: all}
	for _, p := range all {
		if len(p.versions) == 0 {
			continue
		}
		if p.essential {
			p.flags |= immediate
			l.immediate(p.install)
			l.immediate(p.current)
		}
		if !p.keep || p.unfinished {
			l.items = append(l.items, p)
		}
	}
	return l
}

// immediate marks what a version needs.
func (l *list) immediate(v *version) {
	if v == nil {
		return
	}
	for _, d := range v.depends {
		if !d.positive() || d.target.flags&immediate != 0 {
			continue
		}
		d.target.flags |= immediate
		if v == v.pkg.current && v != v.pkg.install {
			l.immediate(d.target.current)
		} else {
			l.immediate(d.target.install)
		}
	}
}

func (d *depend) positive() bool { return d.field == "Depends" || d.field == "Pre-Depends" }

func (l *list) isNow(p *pkg) bool { return p.flags&(states&^removedFlag) == 0 }

// orderUnpack arranges the list for unpacking.
func (l *list) orderUnpack() {
	l.primary, l.secondary, l.dependers, l.remove = unpackCritical, configureFirst, unpackDependers, removeDependers
	slices.SortStableFunc(l.items, l.compare)
	l.pass()
	l.secondary = visitNothing
	l.pass()
	l.dependers, l.remove = visitNothing, visitNothing
	l.pass()
	l.primary = unpackPre
	l.pass()
}

// compare puts what matters most first.
func (l *list) compare(a, b *pkg) int {
	first := func(x bool) int {
		if x {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(first(a.unfinished), first(b.unfinished)),
		cmp.Compare(l.score(b), l.score(a)),
		strings.Compare(a.name, b.name),
	)
}

func (l *list) score(p *pkg) int {
	const ofDelete, ofEssential, ofImmediate, ofPreDepends = 100, 200, 10, 50
	if p.delete {
		return ofDelete
	}
	if p.install == nil {
		return -1
	}
	score := map[string]int{"required": 5, "important": 4, "standard": 3, "optional": 1}[p.install.priority]
	if p.essential {
		score += ofEssential
	}
	if p.flags&immediate != 0 {
		score += ofImmediate
	}
	if slices.ContainsFunc(p.install.depends, func(d *depend) bool { return d.field == "Pre-Depends" }) {
		score += ofPreDepends
	}
	return score
}

// pass makes the list anew, with what a package needs before it.
func (l *list) pass() {
	l.depth = 0
	for _, p := range l.all {
		p.flags &^= added | addPending | loop | inList
	}
	old := l.items
	for _, p := range old {
		p.flags |= inList
	}
	l.items = nil
	for _, p := range old {
		l.node(p)
	}
}

// node adds a package to the list, after those that come before it.
func (l *list) node(p *pkg) {
	if p.flags&(added|addPending) != 0 || p.flags&inList == 0 {
		return
	}
	l.depth++
	p.flags |= addPending
	old := l.primary
	if p.flags&immediate != 0 && l.primary != unpackPre {
		l.primary = unpackPreDepends
	}
	if l.isNow(p) && !p.delete {
		l.follow(l.primary, p.install, false)
		l.reverse(l.primary, p)
		l.follow(l.dependers, nil, true)
		l.reverse(l.dependers, p)
		l.follow(l.secondary, p.install, false)
		l.reverse(l.secondary, p)
	} else if l.isNow(p) {
		l.deps(l.remove, p.dependers, true)
		l.reverseProvides(l.remove, p.current)
	}
	if p.flags&added == 0 {
		p.set(added, added|addPending)
		l.items = append(l.items, p)
	}
	l.primary = old
	l.depth--
}

func (l *list) follow(f visit, v *version, _ bool) {
	if v != nil {
		l.deps(f, v.depends, false)
	}
}

// reverse follows the relations of others to a package and to what it provides.
func (l *list) reverse(f visit, p *pkg) {
	l.deps(f, p.dependers, true)
	l.reverseProvides(f, p.current)
	l.reverseProvides(f, p.install)
}

func (l *list) reverseProvides(f visit, v *version) {
	if v == nil {
		return
	}
	for _, pr := range v.provides {
		l.deps(f, pr.target.dependers, true)
	}
}
