package scaffold

import (
	"slices"
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
