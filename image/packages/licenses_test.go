package packages_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/image/packages"
)

const dep5 = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: x
License: Expat

Files: *
Copyright: 2020 A
License: GPL-2+ or Artistic
 The text, which may say License: or Files: itself.

Files: debian/*
Copyright: 2021 B
License: LGPL-2.1, and BSD-3-clause

License: Beerware
 only a text
`

func TestLicenses(t *testing.T) {
	const form = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\nLicense: "
	for text, want := range map[string]string{
		dep5: "BSD-3-Clause AND (GPL-2.0-or-later OR Artistic-1.0-Perl) AND LGPL-2.1-only AND MIT",
		"Format-Specification: http://svn.debian.org/wsvn/dep/web/deps/dep5.mdwn\n\nFiles: *\nLicense: Zlib": "Zlib",

		form + "GPL-3+ with Bison exception":           "GPL-3.0-or-later WITH Bison-exception-2.2",
		form + "GPL-3+ with Autoconf exception":        "GPL-3.0-or-later WITH Autoconf-exception-3.0",
		form + "GPL-2 with OpenSSL exception":          "LicenseRef-GPL-2-with-OpenSSL-exception",
		form + "GPL-2+ and MIT or Apache-2.0":          "GPL-2.0-or-later AND MIT OR Apache-2.0",
		form + "GPL-1+ or Artistic, and Expat":         "(GPL-1.0-or-later OR Artistic-1.0-Perl) AND MIT",
		form + "MPL-1.1 or GPL-2+, or LGPL-2.1+":       "MPL-1.1 OR GPL-2.0-or-later OR LGPL-2.1-or-later",
		form + "GFDL-NIV-1.3+":                         "GFDL-1.3-no-invariants-or-later",
		form + "AGPLv3":                                "AGPL-3.0-only",
		form + "GPL-2.0+\n\nFiles: a\nLicense: GPL-2+": "GPL-2.0-or-later",
		form + "GPL-7":                                 "LicenseRef-GPL-7",
		form + "public-domain":                         "LicenseRef-public-domain",
		form + "The \"what\" licénse":                  "LicenseRef-The-what-lic-nse",
		form + "GPL-2 or":                              "LicenseRef-GPL-2-or",
		form + "???\n\nFiles: a\nLicense: MIT":         "", // one is not known
		form + "":                                      "",

		"On Debian see /usr/share/common-licenses/Apache-2.0.": "Apache-2.0",
		"either version 2 of the License, or\n(at your option) any later\n * version.\n/usr/share/common-licenses/GPL-2"://
		"GPL-2.0-or-later",
		"version 2 of the License.\n`/usr/share/common-licenses/GPL-2'.":  "GPL-2.0-only",
		"version 3, or any later version: /usr/share/common-licenses/GPL": "GPL-3.0-or-later",
		"It is under the GPL: /usr/share/common-licenses/GPL":             "", // which version?
		"GPL: /usr/share/common-licenses/GPL-2, or any later version.":    "", // of which?
		"Copyright 1990 A. All rights reserved.":                          "",
		"":                                                                "",
	} {
		if got := packages.Licenses(text); got != want {
			t.Errorf("%q\nis %q\nwant %q", text, got, want)
		}
		checkLicenses(t, text)
	}
	many := form + "a" + strings.Repeat(" and b", 5000)
	if got := packages.Licenses(many); got != "LicenseRef-a AND LicenseRef-b" && got != "" {
		t.Errorf("many licenses are %.200q", got)
	}
}

var word = regexp.MustCompile(`^(LicenseRef-)?[A-Za-z0-9.-]+$`)

// checkLicenses checks that an expression consists of what SPDX's list has, and of LicenseRefs.
func checkLicenses(t testing.TB, text string) {
	t.Helper()
	words := strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(packages.Licenses(text)))
	for n, w := range words {
		known := slices.Contains([]string{"AND", "OR", "WITH"}, w) || strings.HasPrefix(w, "LicenseRef-") ||
			slices.Contains(listed(t), w) || n > 0 && words[n-1] == "WITH"
		if !word.MatchString(w) || !known {
			t.Errorf("%q has %q, which is no license of SPDX", text, w)
		}
	}
}

var spdxList []string

func listed(t testing.TB) []string {
	if spdxList == nil {
		text, err := os.ReadFile("../../evidence/sbom/licenses.txt")
		if err != nil {
			t.Fatal(err)
		}
		spdxList = strings.Fields(string(text))
	}
	return spdxList
}
