package order

import "slices"

// manager is apt's pkgPackageManager.
type manager struct {
	list  *list
	steps []Step
}

func (m *manager) step(op Op, p *pkg) {
	m.steps = append(m.steps, Step{op, p.name, p.arch})
}

const maxRounds = 5000

func (p *pkg) finished() bool { return !p.unfinished && !p.reinstall }

// fine reports whether a version is installed, and stays until now.
func (m *manager) fine(v *version) bool {
	return v.pkg.current == v && m.list.isNow(v.pkg) && v.pkg.flags&removedFlag == 0 && v.pkg.finished()
}

// kind is what is done to a package for another.
type kind uint8

const (
	unpackImmediate kind = iota
	unpackOnly
	configureOnly
)

// forOther does something to a package that p waits for. Loops are noticed by a flag of p.
func (m *manager) forOther(k kind, p, other *pkg, depth int, looping bool) (ok, changed bool) {
	if !looping {
		p.flags |= loop
	}
	switch k {
	case unpackImmediate:
		ok = m.smartUnpack(other, true, depth+1)
	case unpackOnly:
		ok = m.smartUnpack(other, false, depth+1)
	case configureOnly:
		ok = m.smartConfigure(other, depth+1)
	}
	if !looping {
		p.flags &^= loop
	}
	return ok, ok && other.flags&loop == 0
}

// smartRemove removes a package.
func (m *manager) smartRemove(p *pkg) {
	if !m.list.isNow(p) {
		return
	}
	p.set(configuredFlag, states)
	if p.purge {
		m.step(Purge, p)
	} else {
		m.step(Remove, p)
	}
}

// earlyRemove removes a package that is in the way, if only for a time.
func (m *manager) earlyRemove(p *pkg, d *depend) bool {
	switch {
	case !m.list.isNow(p) || p.flags&removedFlag != 0:
		return true
	case p.flags&inList == 0:
		return false
	case d.field == "Breaks":
		return true // dpkg deconfigures it
	case p.essential || p.vital || p.current != nil && slices.ContainsFunc(p.dependers, func(d *depend) bool {
		return d.positive() && (d.parent.pkg.essential || d.parent.pkg.vital)
	}):
		return false
	}
	m.smartRemove(p)
	if !p.delete {
		p.set(removedFlag, states)
	}
	return true
}

// smartConfigure configures a package now, with what it depends on before it.
func (m *manager) smartConfigure(p *pkg, depth int) bool {
	looping := p.flags&loop != 0
	var need [][]*depend
	for range maxRounds {
		changed := false
		for _, group := range groups(p.install.depends) {
			if !group[0].positive() {
				continue
			}
			ok, good, did := m.unpackFor(p, group, depth, looping)
			if !ok {
				return false
			}
			changed = changed || did
			if !good {
				need = append(need, group)
			}
		}
		if !changed {
			break
		}
	}
	bad := false
	for range maxRounds {
		changed := false
		for _, group := range need {
			ok, good, did := m.configureFor(p, group, depth, looping)
			if !ok {
				return false
			}
			changed, bad = changed || did, !good
		}
		if !changed {
			break
		}
	}
	if bad {
		return false
	}
	if !m.removeBroken(p) {
		return false
	}
	if looping {
		return true
	}
	if p.flags&configuredFlag != 0 {
		return false
	}
	m.step(Configure, p)
	p.set(configuredFlag, states)
	return true
}

// unpackFor unpacks what fulfills a dependency of a package that is to be configured. good reports
// whether nothing has to be configured for it.
func (m *manager) unpackFor(p *pkg, group []*depend, depth int, looping bool) (ok, good, changed bool) {
	planned := func(v *version) bool { return v.pkg.install == v && m.list.isNow(v.pkg) }
	for _, d := range group {
		for _, v := range d.targets() {
			if m.fine(v) || planned(v) && looping && v.pkg.flags&unpackedFlag != 0 {
				return true, true, false
			}
		}
	}
	for _, d := range group {
		for _, v := range d.targets() {
			if m.fine(v) || !planned(v) {
				continue
			}
			if looping {
				good = good || v.pkg.flags&unpackedFlag != 0
				break
			}
			ok, did := m.forOther(unpackImmediate, p, v.pkg, depth, looping)
			if !ok {
				return false, false, false
			}
			good, changed = true, changed || did
			break
		}
		if good {
			break
		}
	}
	return true, good, changed
}

// configureFor configures what fulfills a dependency and was unpacked.
func (m *manager) configureFor(p *pkg, group []*depend, depth int, looping bool) (ok, good, changed bool) {
	for _, d := range group {
		for _, v := range d.targets() {
			if v.pkg.install != v {
				continue
			}
			if v.pkg.flags&unpackedFlag != 0 {
				if v.pkg.flags&loop != 0 && looping {
					good = true
					break
				}
				ok, did := m.forOther(configureOnly, p, v.pkg, depth, looping)
				if !ok {
					return false, false, false
				}
				good, changed = true, changed || did
				break
			}
			if v.pkg.flags&configuredFlag != 0 {
				good = true
				break
			}
		}
		if good {
			break
		}
	}
	return true, good, changed
}

// removeBroken removes packages that are to go and that break one that is to be configured.
func (m *manager) removeBroken(p *pkg) bool {
	remove := func(ds []*depend, of *version, as *provide) {
		for _, d := range ds {
			other := d.parent.pkg
			if d.field != "Breaks" || !other.delete || other == p || d.parent != other.current {
				continue
			}
			v := of.version
			if as != nil {
				v = as.version
			}
			if d.op.Satisfied(v, d.want) {
				m.smartRemove(other)
			}
		}
	}
	remove(p.dependers, p.install, nil)
	for _, pr := range p.install.provides {
		if pr.target.name != p.name {
			remove(pr.target.dependers, p.install, pr)
		}
	}
	return true
}
