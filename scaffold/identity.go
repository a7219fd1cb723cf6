package scaffold

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
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

// identity decides name, version and description.
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
	for _, dir := range d.directoriesWith("Chart.yaml") {
		for _, doc := range d.yaml(path.Join(dir, "Chart.yaml")) {
			if text := yamlfile.Text(doc, "description"); text != "" && d.description == "" &&
				!strings.HasPrefix(text, "A Helm chart") && len(text) < 120 {
				d.description = text
			}
		}
	}
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
		{"IMAGE_VERSION of the Makefile", d.make.value("IMAGE_VERSION")},
		{"VERSION of the Makefile", d.make.value("VERSION")},
		{"RELEASE_VERSION of the Makefile", d.make.value("RELEASE_VERSION")},
	} {
		if literalVersion.MatchString(from[1]) {
			d.versionNotes = append(d.versionNotes, "Of "+from[0]+". With git, write: version: git")
			return from[1]
		}
	}
	d.versionNotes = append(d.versionNotes,
		"This directory is not in git, and nothing in it has a version. With git, write: version: git")
	d.hand("version: nothing here states one, and this directory is not in git: " +
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

// unused returns the main packages that no image has.
func (d *Draft) unused() (list []string) {
	for _, m := range d.mains {
		if !d.compiled[m.dir] && !slices.ContainsFunc(d.programs, func(p program) bool { return p.dir == m.dir }) {
			list = append(list, packagePath(m.dir, ""))
		}
	}
	return list
}
