package debian

import "slices"

// addProvides records what a package provides: the field Provides, and its own name for other
// architectures, if Multi-Arch says so.
func (u *Universe) addProvides(p *Package, field string) error {
	arch := p.slot.arch
	known := u.configured(arch)
	had := slices.ContainsFunc(p.provides, func(x *provided) bool { return x.implicit && x.specific })
	for rest := field; rest != ""; {
		name, op, version, _, next, err := cutRelation(rest)
		if err != nil {
			return err
		}
		rest = next
		if op != anyVersion && op != equal {
			continue // apt ignores it
		}
		u.addProvided(p, name, version, known)
	}
	switch {
	case !known:
	case p.multiArch == maAllowed:
		u.provideNew(p, p.Name+":any", anyArch, p.Version, false, true)
	case p.multiArch == maForeign:
		u.provideAll(p, p.Name, p.Version, true)
	}
	full := p.Name + ":" + arch
	if f := u.families[full]; f != nil && !had {
		if s := f.slot(anyArch); s != nil {
			u.provide(p, s, p.Version, true, true)
		}
	}
	return nil
}

// addProvided records one entry of the field.
func (u *Universe) addProvided(p *Package, name, version string, known bool) {
	arch := p.slot.arch
	if base, of, ok := cutArch(name); ok {
		if of != anyArch {
			u.provideNew(p, base, of, version, true, true)
		}
		u.provideNew(p, name, anyArch, version, true, false)
		return
	}
	switch {
	case p.multiArch == maForeign && known:
		u.provideAll(p, name, version, false)
	case p.multiArch == maAllowed && known:
		u.provideNew(p, name+":any", anyArch, version, false, true)
		u.provideNew(p, name, arch, version, false, false)
	default:
		u.provideNew(p, name, arch, version, false, false)
	}
	if f := u.families[name+":"+arch]; f != nil {
		if s := f.slot(anyArch); s != nil {
			u.provideNew(p, name+":"+arch, anyArch, version, true, true)
		}
	}
}

// provideNew adds an entry for one architecture, unless it says that a package provides itself.
func (u *Universe) provideNew(p *Package, name, arch, version string, specific, implicit bool) {
	if name == p.Name && u.archOf(arch) == p.slot.arch && (version == "" || version == p.Version) {
		return
	}
	u.provide(p, u.slot(name, arch), version, specific, implicit)
}

// provideAll adds an entry for every architecture.
func (u *Universe) provideAll(p *Package, name, version string, implicit bool) {
	f := u.families[name]
	if f == nil || len(f.slots) == 0 {
		u.provideNew(p, name, u.native, version, false, implicit)
		return
	}
	for _, s := range slices.Clone(f.slots) {
		if implicit && s == p.slot || !u.configured(p.slot.arch) {
			continue
		}
		u.provide(p, s, version, false, implicit)
	}
}
