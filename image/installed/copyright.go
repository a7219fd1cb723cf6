package installed

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Bounds on the licenses of a package: an expression of more than maxLicenses terms, or of more
// than maxExpression bytes, is left out.
const (
	maxLicenses   = 256
	maxExpression = 16 << 10
)

// licenses returns the SPDX expression of the licenses of a package; "" where they are not known.
func licenses(t tree.Files, name string) (string, error) {
	file := path.Join("/usr/share/doc", name, "copyright")
	_, n, err := tree.Resolve(t, file)
	if err != nil && !tree.Loops(err) {
		return "", err
	}
	if n == nil || n.Kind != layer.Regular || n.Odd != "" {
		return "", nil
	}
	text, err := tree.ReadText(t, file)
	if err != nil {
		return "", err
	}
	return Licenses(string(text)), nil
}

// Licenses returns the SPDX expression that follows from a copyright file; "" where none does. One
// that a machine can read (DEP-5) states the license of each of its files: all of them apply. Of
// another one the references to /usr/share/common-licenses tell, if each leaves no doubt about the
// version. Licenses that SPDX's list lacks become LicenseRefs of their Debian names.
func Licenses(text string) string {
	terms, ok := declared(text)
	if !ok {
		terms = referred(text)
	}
	slices.Sort(terms)
	terms = slices.Compact(terms)
	if len(terms) > maxLicenses {
		return ""
	}
	for n, t := range terms {
		if len(terms) > 1 && strings.Contains(t, " OR ") {
			terms[n] = "(" + t + ")"
		}
	}
	all := strings.Join(terms, " AND ")
	if len(all) > maxExpression {
		return ""
	}
	return all
}

var formatLine = lazyregexp.New(
	`(?i)^format(-specification)?:\s*\S*(copyright-format|dep5|dep\.debian\.net|copyright\.mdwn)`)

// declared returns the expressions of a file in the machine-readable form, and whether it is one.
func declared(text string) (all []string, ok bool) {
	var license []string
	var stated, files, doubt bool // the paragraph has a License, or is about files
	header := true                // it is the first
	end := func() {
		if stated && (files || header) {
			all = append(all, license...)
			doubt = doubt || len(license) == 0
		}
		stated, files = false, false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		key, value, isField := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "":
			end()
			header = header && !ok
		case line[0] == ' ' || line[0] == '\t' || line[0] == '#' || !isField:
		case !ok && formatLine.MatchString(line):
			ok = true
		case strings.EqualFold(key, "Files"):
			files = true
		case strings.EqualFold(key, "License") && len(value) <= maxField:
			stated, license = true, expressions(value)
		}
	}
	if end(); doubt {
		return nil, ok
	}
	return all, ok
}

// commonLicense is a reference to a file of package base-files.
var commonLicense = lazyregexp.New(`/usr/share/common-licenses/([A-Za-z0-9.-]+)`)

var (
	laterVersion = lazyregexp.New(`(?i)\b(any\s+)?later\s+version|\bor\s+later\b|\bor\s+newer\b`)
	thisVersion  = lazyregexp.New(`(?i)\bversion\s+([0-9](\.[0-9])?)`)
	folding      = lazyregexp.New(`\s+(\*|#|//|\.)?\s*`)
)

// referred returns the licenses whose texts a file refers to; none if one of them is in doubt.
func referred(text string) (all []string) {
	text = folding.ReplaceAllString(text, " ")
	later := laterVersion.MatchString(text)
	from := 0
	for _, m := range commonLicense.FindAllStringSubmatchIndex(text, -1) {
		before := text[max(from, m[0]-1500):m[0]]
		name := strings.TrimRight(text[m[2]:m[3]], ".-")
		from = m[1]
		id := commonID(name, before, later)
		if id == "" {
			return nil
		}
		all = append(all, id)
	}
	return all
}

// commonID returns the license of a reference; "" if it is not certain. before is the text that
// leads to it, and later reports whether any license of the file allows later versions.
func commonID(name, before string, later bool) string {
	family, version, _ := strings.Cut(name, "-")
	if family != "GPL" && family != "LGPL" && family != "GFDL" {
		return spdx(name)
	}
	if version == "" {
		m := thisVersion.FindStringSubmatch(before)
		if m == nil {
			return ""
		}
		version = m[1]
	}
	switch {
	case laterVersion.MatchString(before):
		return spdx(family + "-" + version + "+")
	case later:
		return "" // perhaps of this one, in words that stand behind the reference
	}
	return spdx(family + "-" + version)
}
