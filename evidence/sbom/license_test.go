package sbom

import (
	"cmp"
	"slices"
	"testing"
)

func TestExpression(t *testing.T) {
	for text, want := range map[string][]string{
		"MIT": {}, "Apache-2.0 OR MIT": {},
		"(MIT AND BSD-3-Clause) OR GPL-2.0-or-later WITH Classpath-exception-2.0": {}, "GPL-2.0+": {},
		"LicenseRef-a AND (LicenseRef-b)": {"LicenseRef-a", "LicenseRef-b"},
		"":                                nil, "MIT License": nil, "MIT OR": nil, "AND": nil, "(MIT": nil, "MIT)": nil,
		"MIT/Apache": nil, "()": nil, "WITH x": nil, "(MIT) WITH x": nil, "MIT, BSD": nil,
		"Proprietary": nil, "MIT AND see-readme": nil, "BSD": nil, "MIT WITH Apache-2.0": nil,
		"GPL-2.0-only WITH Linux-syscall-note": {}, "apache-2.0 OR mit": {},
	} {
		written, refs, ok := expression(text)
		if w := map[string]string{"apache-2.0 OR mit": "Apache-2.0 OR MIT"}[text]; ok && written != cmp.Or(w, text) {
			t.Errorf("%q is written %q", text, written)
		}
		if ok != (want != nil) || ok && !slices.Equal(refs, want) {
			t.Errorf("%q: %v, %v", text, refs, ok)
		}
	}
}
