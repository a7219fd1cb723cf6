package order

// deps follows relations in one of the ways.
func (l *list) deps(f visit, ds []*depend, reverse bool) {
	switch f {
	case unpackCritical:
		l.critical(ds, reverse)
	case unpackPreDepends:
		if reverse {
			l.critical(ds, reverse)
		} else {
			l.preDepends(ds)
		}
	case unpackPre:
		if !reverse {
			l.pre(ds)
		}
	case unpackDependers:
		l.unpackDependers(ds, reverse)
	case configureFirst:
		if reverse {
			return
		}
		for _, d := range ds {
			if d.field == "Depends" {
				l.provides(d)
			}
		}
	case removeDependers:
		if reverse {
			l.removeDependers(ds)
		}
	}
}

// seen reports whether the package that is named has its place already, and whether the relation
// needs no more than that.
func (d *depend) seen() bool { return d.target.flags&(added|addPending) != 0 }

// critical follows Conflicts, Breaks and Pre-Depends.
func (l *list) critical(ds []*depend, reverse bool) {
	for _, d := range ds {
		if reverse {
			if d.field == "Conflicts" && d.parent.pkg.current == d.parent && !l.check(d, true) {
				l.node(d.parent.pkg)
			}
			continue
		}
		if d.field == "Depends" {
			continue
		}
		if l.check(d, false) && (d.target.flags&addPending == 0 || d.field != "Pre-Depends") || d.seen() {
			continue
		}
		old := l.primary
		if d.field == "Pre-Depends" {
			l.primary = unpackPreDepends
		}
		l.provides(d)
		l.primary = old
	}
}

// preDepends follows all that a package needs to be configured.
func (l *list) preDepends(ds []*depend) {
	for _, d := range ds {
		if l.check(d, false) && (d.target.flags&addPending == 0 || d.field != "Pre-Depends") || d.seen() {
			continue
		}
		l.provides(d)
	}
}

// pre follows Pre-Depends, and Depends of what is configured early.
func (l *list) pre(ds []*depend) {
	for _, d := range ds {
		if d.field != "Pre-Depends" && (d.field != "Depends" || l.depth == 1 && d.parent.pkg.flags&immediate == 0) {
			continue
		}
		if l.check(d, false) && d.target.flags&addPending == 0 || d.seen() {
			continue
		}
		l.provides(d)
	}
}

// unpackDependers takes first what unpacking a package would break.
func (l *list) unpackDependers(ds []*depend, reverse bool) {
	for _, d := range ds {
		switch {
		case reverse:
			if d.parent.pkg.current != nil && d.parent.pkg.current == d.parent && !l.check(d, true) {
				l.node(d.parent.pkg)
			}
		case d.field == "Depends":
			l.provides(d)
		case d.field == "Breaks" && !l.check(d, false):
			l.node(d.target)
		}
	}
}

// provides visits the packages that fulfill a relation; of a conflict first those that go.
func (l *list) provides(d *depend) {
	for _, v := range d.targets() {
		p := v.pkg
		if d.positive() && p.install == v && (!p.keep || p.unfinished) ||
			!d.positive() && p.delete && p.current == v {
			l.node(p)
		}
	}
	if d.positive() {
		return
	}
	for _, v := range d.targets() {
		if p := v.pkg; !p.delete && (!p.keep || p.unfinished) && p.current == v {
			l.node(p)
		}
	}
}

// targets returns the versions that fulfill a relation.
func (d *depend) targets() []*version {
	var found []*version
	own := func(p *pkg) bool { return !d.positive() && p == d.parent.pkg }
	for _, v := range d.target.versions {
		if !own(v.pkg) && d.op.Satisfied(v.version, d.want) {
			found = append(found, v)
		}
	}
	for _, pr := range d.target.provides {
		if !own(pr.owner.pkg) && (d.op == "" || !pr.version.IsZero() && d.op.Satisfied(pr.version, d.want)) {
			found = append(found, pr.owner)
		}
	}
	return found
}

// check reports whether a relation holds with what is in the list so far.
func (l *list) check(d *depend, reverse bool) bool {
	for _, v := range d.targets() {
		p := v.pkg
		if p.flags&added != 0 || p.flags&addPending != 0 && reverse {
			if p.install != v {
				continue
			}
		} else if p.current != v || p.unfinished {
			continue
		}
		if !d.positive() {
			return false
		}
		if (!reverse && p == d.parent.pkg || reverse && p == d.target) && p.install != v {
			continue
		}
		return true
	}
	return d.field == "Conflicts"
}

// removeDependers takes first what a removal would break: by its own removal, by another package
// that it may use, or by its new version.
func (l *list) removeDependers(ds []*depend) {
	for _, broken := range ds {
		p := broken.parent.pkg
		if !broken.positive() || p.current == nil || p.flags&(added|addPending) != 0 {
			continue
		}
		if p.delete {
			l.node(p)
			return
		}
		for _, group := range groups(p.current.depends) {
			if group[0].positive() && contains(group, broken) && !l.ready(group) && !l.visitReplacement(p, group) {
				l.node(p)
			}
		}
	}
}

// ready reports whether an installed package that stays fulfills one of the alternatives.
func (l *list) ready(group []*depend) bool {
	for _, d := range group {
		for _, v := range d.targets() {
			if v.pkg.current == v && !v.pkg.delete {
				return true
			}
		}
	}
	return false
}

// visitReplacement visits a package that is to be installed and fulfills one of the alternatives.
func (l *list) visitReplacement(broken *pkg, group []*depend) bool {
	for _, d := range group {
		for _, v := range d.targets() {
			p := v.pkg
			if p.keep || p.delete || p.install != v || p.flags&addPending != 0 {
				continue
			}
			if broken.flags&immediate != 0 {
				p.flags |= immediate
			}
			l.node(p)
			return true
		}
	}
	return false
}

// groups divides relations into groups of alternatives.
func groups(ds []*depend) [][]*depend {
	var all [][]*depend
	begin := 0
	for n, d := range ds {
		if !d.or {
			all = append(all, ds[begin:n+1])
			begin = n + 1
		}
	}
	return all
}

func contains(group []*depend, d *depend) bool {
	for _, one := range group {
		if one == d {
			return true
		}
	}
	return false
}
