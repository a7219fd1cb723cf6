package packages

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Bounds on the licenses of a package: an expression of more than maxLicenses terms, or of more
// than maxExpression bytes, is omitted.
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

// ids are Debian's names of licenses, in small letters and without a version, by what SPDX's list
// calls them. Those that both call the same are in [versioned], [same] or become LicenseRefs.
var ids = map[string]string{
	"expat": "MIT", "mit": "MIT", "x11": "X11", "isc": "ISC", "zlib": "Zlib", "cc0": "CC0-1.0", "cc0-1.0": "CC0-1.0",
	"bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause", "bsd-4-clause": "BSD-4-Clause",
	"0bsd": "0BSD", "bsd-0-clause": "0BSD", "bsd-1-clause": "BSD-1-Clause",
	"apache-2": "Apache-2.0", "apache-2.0": "Apache-2.0", "apache-1.1": "Apache-1.1", "apache-1.0": "Apache-1.0",
	"artistic": "Artistic-1.0-Perl", "artistic-1": "Artistic-1.0-Perl", "artistic-2": "Artistic-2.0",
	"artistic-2.0": "Artistic-2.0",
	"mpl-1.0":      "MPL-1.0", "mpl-1.1": "MPL-1.1", "mpl-2": "MPL-2.0", "mpl-2.0": "MPL-2.0",
	"bsl-1": "BSL-1.0", "bsl-1.0": "BSL-1.0", "boost-1.0": "BSL-1.0", "openssl": "OpenSSL", "curl": "curl",
	"psf-2": "PSF-2.0", "psf-2.0": "PSF-2.0", "unicode-dfs-2016": "Unicode-DFS-2016", "hpnd": "HPND",
	"ofl-1.1": "OFL-1.1", "sil-1.1": "OFL-1.1", "cddl-1.0": "CDDL-1.0", "epl-1.0": "EPL-1.0", "epl-2.0": "EPL-2.0",
	"w3c": "W3C", "ntp": "NTP", "unlicense": "Unlicense", "wtfpl": "WTFPL", "vim": "Vim", "ftl": "FTL",
	"bzip2-1.0.6": "bzip2-1.0.6", "blessing": "blessing", "libpng": "Libpng", "libtiff": "libtiff", "icu": "ICU",
	"cc-by-3.0": "CC-BY-3.0", "cc-by-4.0": "CC-BY-4.0", "cc-by-sa-3.0": "CC-BY-SA-3.0",
	"cc-by-sa-4.0": "CC-BY-SA-4.0",
}

// gnu matches the licenses of the GNU project, with a version and perhaps a + for later ones.
var gnu = lazyregexp.New(`^(a?gpl|lgpl|gfdl|gfdl-niv)-?v?([0-9])(?:\.([0-9]))?(?:\.0)?(\+|-only|-or-later)?$`)

// exceptions are those of SPDX's list that Debian has names for.
var exceptions = map[string]string{
	"libtool": "Libtool-exception", "bison": "Bison-exception-2.2", "font": "Font-exception-2.0",
	"classpath": "Classpath-exception-2.0", "gcc": "GCC-exception-3.1", "linux-syscall-note": "Linux-syscall-note",
	"autoconf": "Autoconf-exception-2.0",
}

// spdx returns a license as SPDX has it, from its name in Debian; a LicenseRef for one that SPDX's
// list lacks, "" for none.
func spdx(name string) string {
	small := strings.ToLower(strings.TrimSpace(name))
	if small == "" {
		return ""
	}
	if id := ids[small]; id != "" {
		return id
	}
	m := gnu.FindStringSubmatch(small)
	if m == nil {
		return reference(name)
	}
	minor := m[3]
	if minor == "" {
		minor = "0"
	}
	family, after := strings.ToUpper(m[1]), "-only"
	if m[4] == "+" || m[4] == "-or-later" {
		after = "-or-later"
	}
	if f, ok := strings.CutSuffix(family, "-NIV"); ok {
		family, after = f, "-no-invariants"+after
	}
	id := family + "-" + m[2] + "." + minor + after
	for _, k := range gnuVersions {
		if strings.HasPrefix(id, k) {
			return id
		}
	}
	return reference(name)
}

// gnuVersions are those that exist.
var gnuVersions = []string{
	"GPL-1.0-", "GPL-2.0-", "GPL-3.0-", "LGPL-2.0-", "LGPL-2.1-", "LGPL-3.0-", "AGPL-1.0-", "AGPL-3.0-",
	"GFDL-1.1-", "GFDL-1.2-", "GFDL-1.3-",
}

var notInReference = lazyregexp.New(`[^A-Za-z0-9.]+`)

// reference returns the LicenseRef of a license that SPDX's list lacks.
func reference(name string) string {
	plain := strings.Trim(notInReference.ReplaceAllString(name, "-"), "-.")
	if plain == "" || len(plain) > 100 {
		return ""
	}
	return "LicenseRef-" + plain
}

var (
	withException = lazyregexp.New(`(?i)^(\S+)\s+with\s+(?:the\s+)?(.+?)(?:\s+exception)?$`)
	commaWord     = lazyregexp.New(`(?i)^\s*(and|or|and/or)\s+`)
	orWord        = lazyregexp.New(`(?i)\s+(?:or|and/or|\|)\s+`)
	andWord       = lazyregexp.New(`(?i)\s+and\s+`)
)

// expressions returns the SPDX expressions of a License field, all of which apply: names with
// "and", "or", which binds less, and commas, which bind least. A list by commas alone means all of
// them. There are none if a name is missing.
func expressions(text string) (all []string) {
	parts := strings.Split(text, ",")
	var groups [][]string // of alternatives, all of which apply
	for n, part := range parts {
		word := ""
		if m := commaWord.FindStringSubmatch(part); m != nil && n > 0 {
			word, part = strings.ToLower(m[1]), part[len(m[0]):]
		}
		one := alternatives(part)
		if one == "" {
			return nil
		}
		if last := len(groups) - 1; n > 0 && strings.Contains(word, "or") {
			groups[last] = append(groups[last], one)
		} else {
			groups = append(groups, []string{one})
		}
	}
	for _, g := range groups {
		if one := strings.Join(g, " OR "); strings.Contains(one, " OR ") {
			all = append(all, one)
		} else {
			all = append(all, strings.Split(one, " AND ")...)
		}
	}
	return all
}

// alternatives returns the expression of a text without commas; "" if a name is missing.
func alternatives(text string) string {
	var all []string
	for _, either := range orWord.Split(text, -1) {
		var every []string
		for _, name := range andWord.Split(either, -1) {
			id := license(name)
			if id == "" {
				return ""
			}
			every = append(every, id)
		}
		all = append(all, strings.Join(every, " AND "))
	}
	return strings.Join(all, " OR ")
}

func license(name string) string {
	name = strings.TrimSpace(name)
	m := withException.FindStringSubmatch(name)
	if m == nil {
		return spdx(name)
	}
	id, what := spdx(m[1]), exceptions[strings.ToLower(m[2])]
	if what == exceptions["autoconf"] && strings.Contains(id, "GPL-3") {
		what = "Autoconf-exception-3.0"
	}
	if what == "" || strings.HasPrefix(id, "LicenseRef-") {
		return reference(name)
	}
	return id + " WITH " + what
}
