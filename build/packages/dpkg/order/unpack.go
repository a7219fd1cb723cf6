package order

// smartUnpack unpacks a package, after what has to come before: Pre-Depends are configured, and
// what conflicts goes or is unpacked. If now is set, it is configured at once.
func (m *manager) smartUnpack(p *pkg, now bool, depth int) bool {
	looping := p.flags&loop != 0
	temporary := depth != 0 && p.flags&removedFlag == 0
	bad := false
	for range maxRounds {
		changed := false
		for _, group := range groups(p.install.depends) {
			var ok, good, did bool
			switch d := group[len(group)-1]; d.field {
			case "Pre-Depends":
				ok, good, did = m.preDepends(p, group, depth, looping)
			case "Conflicts", "Breaks":
				ok, good, did = m.conflicts(p, d, depth, looping)
			default:
				continue
			}
			if !ok {
				return false
			}
			bad, changed = bad || !good, changed || did
		}
		if !changed {
			break
		}
	}
	if bad {
		return false
	}
	if temporary && p.flags&removedFlag != 0 {
		return true
	}
	if !m.reverseConflicts(p) {
		return false
	}
	if looping {
		return true
	}
	p.set(unpackedFlag, states)
	if p.install != p.current || p.reinstall {
		m.step(Unpack, p)
	}
	if now {
		m.smartConfigure(p, depth+1) // if that fails, the end configures it
	}
	return true
}

// preDepends configures what a package needs before it is unpacked.
func (m *manager) preDepends(p *pkg, group []*depend, depth int, looping bool) (ok, good, changed bool) {
	for _, d := range group {
		for _, v := range d.targets() {
			if v.pkg.current == v && m.list.isNow(v.pkg) && v.pkg.finished() {
				return true, true, false
			}
		}
	}
	for _, d := range group {
		for _, v := range d.targets() {
			other := v.pkg
			if other.install != v || other.keep && other.finished() {
				continue
			}
			if other.flags&configuredFlag != 0 {
				good = true
				break
			}
			k := configureOnly
			if other.flags&unpackedFlag == 0 {
				if other.flags&loop != 0 && looping {
					continue
				}
				k = unpackImmediate
			}
			ok, did := m.forOther(k, p, other, depth, looping)
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

// conflicts takes care of what a package that is to be unpacked excludes.
func (m *manager) conflicts(p *pkg, d *depend, depth int, looping bool) (ok, good, changed bool) {
	good = true
	for _, v := range d.targets() {
		other := v.pkg
		if other.current != v || !m.list.isNow(other) || other.flags&removedFlag != 0 {
			continue
		}
		switch {
		case other.flags&loop != 0 && looping:
			if !m.earlyRemove(other, d) {
				return false, false, false
			}
			good = false
		case other.delete:
			m.smartRemove(other)
		case other.keep && other.flags&inList == 0:
			if !m.earlyRemove(other, d) {
				return false, false, false
			}
		default:
			ok, did := m.forOther(unpackOnly, p, other, depth, looping)
			changed = changed || did
			if !ok && other.flags&removedFlag == 0 && p.flags&removedFlag == 0 && !m.earlyRemove(other, d) {
				return false, false, false
			}
		}
	}
	return true, good, changed
}

// reverseConflicts removes packages that conflict with one that is to be unpacked.
func (m *manager) reverseConflicts(p *pkg) bool {
	check := func(ds []*depend, as *provide) bool {
		for _, d := range ds {
			other := d.parent.pkg
			if d.field != "Conflicts" || !m.list.isNow(p) || other == p || d.parent != other.current {
				continue
			}
			v := p.install.version
			if as != nil {
				v = as.version
			}
			if d.op.Satisfied(v, d.want) && !m.earlyRemove(other, d) {
				return false
			}
		}
		return true
	}
	if !check(p.dependers, nil) {
		return false
	}
	for _, pr := range p.install.provides {
		if pr.target.name != p.name {
			check(pr.target.dependers, pr)
		}
	}
	return true
}
