package scaffold

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

type base struct {
	name, builtin, microsoft string
	images                   map[string]string
}

// base declares the base of an image of one program for Linux, and returns its name.
func (d *Draft) base(ref string) string {
	if ref == "scratch" {
		return ref
	}
	repository, tag := splitReference(ref)
	b := base{name: nameOf(path.Base(repository)), images: map[string]string{}}
	if tag == "" {
		ref += ":latest"
	}
	for _, p := range d.linux() {
		b.images[p] = ref
	}
	return d.addBase(b)
}

// addBase adds a base unless there is the same, and returns its name.
func (d *Draft) addBase(b base) string {
	for _, other := range d.bases {
		if cmp.Or(other.builtin, "-") == cmp.Or(b.builtin, "-") && other.microsoft == b.microsoft &&
			maps.Equal(other.images, b.images) {
			return other.name
		}
	}
	b.name = unique(b.name, func(name string) bool {
		return slices.ContainsFunc(d.bases, func(o base) bool { return o.name == name })
	})
	d.bases = append(d.bases, b)
	return b.name
}

// splitReference splits a reference into its repository and its tag, with the digest.
func splitReference(ref string) (repository, tag string) {
	name, digest, pinned := strings.Cut(ref, "@")
	plain := tagToken.ReplaceAllStringFunc(name, func(t string) string { return strings.Repeat("x", len(t)) })
	if i := strings.LastIndexByte(plain, ':'); i > strings.LastIndexByte(plain, '/') {
		name, tag = name[:i], name[i+1:]
	}
	if pinned {
		tag += "@" + digest
	}
	return name, tag
}

// unique adds a number to a name that is taken.
func unique(name string, taken func(string) bool) string {
	first := name
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s-%d", first, n)
	}
	return name
}
