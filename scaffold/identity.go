package scaffold

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Values of what only git knows, in a directory without it.
const (
	unknownRevision = "unknown"
	unknownCreated  = "2000-01-01T00:00:00Z"
)

var (
	literalVersion = lazyregexp.New(`^v?[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?$`)
	atVersion      = lazyregexp.New(`@(v[0-9]+\.[0-9]+\.[0-9]+[^/@]*)(?:/|$)`)
)

// identity decides name and version.
func (d *Draft) identity() {
	d.name = cmp.Or(d.options.Name, d.repositoryName(), "product")
	switch {
	case d.options.Version != "":
		d.version = d.options.Version
	case d.git:
		d.version = "git"
	default:
		d.version = d.guessVersion()
	}
	d.source.licenses = d.license()
}

// guessVersion is the version of a directory without git: that of its name in the module cache,
// of a file VERSION, or of the Makefile.
func (d *Draft) guessVersion() string {
	if m := atVersion.FindStringSubmatch(d.Dir); m != nil && module.CanonicalVersion(m[1]) == m[1] {
		d.versionNotes = append(d.versionNotes, "Of the module's directory. With git, write: version: git")
		return m[1]
	}
	for _, from := range [][2]string{
		{"VERSION", strings.TrimSpace(string(d.tree.text("VERSION")))},
		{"IMAGE_VERSION of the Makefile", d.make.Value("IMAGE_VERSION")},
		{"VERSION of the Makefile", d.make.Value("VERSION")},
		{"RELEASE_VERSION of the Makefile", d.make.Value("RELEASE_VERSION")},
	} {
		if literalVersion.MatchString(from[1]) {
			d.versionNotes = append(d.versionNotes, "Of "+from[0]+". With git, write: version: git")
			return from[1]
		}
	}
	d.versionNotes = append(d.versionNotes,
		"This directory is not in git, and nothing in it has a version. With git, write: version: git")
	d.leave("version", "nothing here states one, and this directory is not in git: "+
		"give -version to the release, or write it into slipway.yaml")
	return "0.0.0"
}

// license recognizes the usual licenses by their text.
func (d *Draft) license() string {
	var text []byte
	for _, name := range []string{"LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING"} {
		if text = d.tree.text(name); text != nil {
			break
		}
	}
	switch {
	case bytes.Contains(text, []byte("Apache License")) && bytes.Contains(text, []byte("Version 2.0")):
		return "Apache-2.0"
	case bytes.Contains(text, []byte("Mozilla Public License Version 2.0")):
		return "MPL-2.0"
	case bytes.Contains(text, []byte("Permission is hereby granted, free of charge")):
		return "MIT"
	case bytes.Contains(text, []byte("Neither the name of")) && bytes.Contains(text, []byte("Redistribution and use")):
		return "BSD-3-Clause"
	}
	return ""
}

// unused returns the main packages that no image has: none if a Dockerfile compiles some that it
// does not name.
func (d *Draft) unused() (list []string) {
	var text strings.Builder
	given := map[string]bool{} // by arguments
	for _, f := range d.files {
		text.Write(d.tree.text(f))
	}
	for _, i := range d.images {
		for _, v := range i.args() {
			text.WriteString(v + "\n")
			given[v] = true
		}
	}
	named := false
	for _, m := range d.mains {
		in := m.dir != "." && strings.Contains(text.String(), m.dir) || given[m.name]
		used := slices.ContainsFunc(d.programs, func(p program) bool { return p.dir == m.dir })
		if named = named || in; !in && !used {
			list = append(list, packagePath(m.dir, ""))
		}
	}
	if !named && buildsGo.MatchString(text.String()) {
		return nil
	}
	return list
}

// repositoryName is the last part of where the directory was cloned from, of the module's path, or
// the directory's name.
func (d *Draft) repositoryName() string {
	if d.options.remote != "" {
		return nameOf(path.Base(d.options.remote))
	}
	if d.source.module != "" {
		m := strings.TrimSuffix(d.source.module, majorSuffix(d.source.module))
		if u := strings.TrimPrefix(d.source.url, "https://"); u != "" {
			m = u
		}
		return nameOf(path.Base(m))
	}
	return nameOf(path.Base(d.Dir))
}
