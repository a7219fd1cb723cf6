package shell

import "io/fs"

var special = []struct {
	bit  uint32
	mode fs.FileMode
}{{0o4000, fs.ModeSetuid}, {0o2000, fs.ModeSetgid}, {0o1000, fs.ModeSticky}}

// Mode turns the bits of Unix into a mode.
func Mode(bits uint32) fs.FileMode {
	m := fs.FileMode(bits) & fs.ModePerm
	for _, s := range special {
		if bits&s.bit != 0 {
			m |= s.mode
		}
	}
	return m
}

// Bits turns a mode into the bits of Unix.
func Bits(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	for _, s := range special {
		if m&s.mode != 0 {
			bits |= s.bit
		}
	}
	return bits
}
