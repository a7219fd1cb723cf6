package scaffold

import (
	"slices"

	"github.com/slipway-dev/slipway/platform"
)

type program struct {
	name, dir string
	module    string // the directory of a module below the product's; "" is the product's
	os        []string
}

// mainIn returns the main package of a directory.
func (d *Draft) mainIn(dir string) (mainPackage, bool) {
	return find(d.mains, func(m mainPackage) bool { return m.dir == dir })
}

// main returns the main package that a program of this file name is built from.
func (d *Draft) main(name string) (mainPackage, bool) {
	if m, ok := d.mainIn(d.outputs[name]); ok {
		return m, true
	}
	return find(d.mains, func(m mainPackage) bool { return m.name == name })
}

// onlyFor is the operating system that a program is for, where only images for Windows have it at a
// place: those for Linux may compile theirs in a stage of their own.
func (d *Draft) onlyFor(name string) string {
	found := ""
	for _, i := range d.images {
		if i.program == name {
			return ""
		}
		for _, p := range i.parts {
			for _, program := range p.outputs {
				if program == name && p.os != platform.Windows {
					return ""
				}
				if program == name {
					found = p.os
				}
			}
		}
	}
	if slices.Contains(d.archived, name) {
		return ""
	}
	return found
}

// find returns the first element that is meant.
func find[E any](list []E, is func(E) bool) (found E, ok bool) {
	n := slices.IndexFunc(list, is)
	if n < 0 {
		return found, false
	}
	return list[n], true
}

// appendNew appends what a list lacks.
func appendNew[E comparable](list []E, more ...E) []E {
	for _, e := range more {
		if !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}
