package debian_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/packages/debian"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"1.0", "1.0", 0},
		{"1.0", "1.0-0", 0},
		{"0:1.0", "1.0", 0},
		{"1:0.1", "2.0", 1},
		{"1.0~rc1", "1.0", -1},
		{"1.10", "1.9", 1},
		{"1.0-1", "1.0-1+b1", -1},
		{"1.0+deb12u1", "1.0+deb12u2", -1},
		{"1.0~", "1.0~~", 1},
		{"1.0a", "1.0+", -1},
		{"2-1-1", "2-1-2", -1},
		{"1.01", "1.1", 0},
		{"", "1", -1},
	} {
		if got := sign(debian.Compare(c.a, c.b)); got != c.want {
			t.Errorf("Compare(%q, %q) is %d, want %d", c.a, c.b, got, c.want)
		}
		if got := sign(debian.Compare(c.b, c.a)); got != -c.want {
			t.Errorf("Compare(%q, %q) is %d, want %d", c.b, c.a, got, -c.want)
		}
	}
}

func sign(n int) int { return min(1, max(-1, n)) }

// TestCompareDpkg compares random versions with dpkg.
func TestCompareDpkg(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("dpkg is not installed")
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		a := randomVersion(rnd)
		b := a
		switch rnd.IntN(3) {
		case 0:
			b = randomVersion(rnd)
		case 1:
			b = a + []string{"~", "+b1", ".0", "-0", "a", "~~", "0"}[rnd.IntN(7)]
		}
		for op, holds := range map[string]bool{
			"lt": debian.Compare(a, b) < 0, "eq": debian.Compare(a, b) == 0, "gt": debian.Compare(a, b) > 0,
		} {
			if holds {
				if err := exec.CommandContext(t.Context(), "dpkg", "--compare-versions", a, op, b).Run(); err != nil {
					t.Errorf("%s %s %s holds here, and not for dpkg", a, op, b)
				}
			}
		}
	}
}

func randomVersion(rnd *rand.Rand) string {
	var b strings.Builder
	if rnd.IntN(4) == 0 {
		fmt.Fprintf(&b, "%d:", rnd.IntN(3))
	}
	b.WriteByte(byte('0' + rnd.IntN(10)))
	part := func() {
		for range rnd.IntN(5) {
			b.WriteByte("0019.+~aZz"[rnd.IntN(10)])
		}
	}
	part()
	if rnd.IntN(2) == 0 {
		b.WriteString("-1")
		part()
	}
	return b.String()
}

func TestParseRelations(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a", "[[a]]"},
		{" a , b ", "[[a] [b]]"},
		{"a | b (>= 1), c:any (<< 2~)", "[[a b (>= 1)] [c:any (<< 2~)]]"},
		{"a (=1)", "[[a (= 1)]]"},
		{"a (< 1), b (> 1), c (1)", "[[a (<= 1)] [b (>= 1)] [c (= 1)]]"},
		{"a\n , b", "[[a] [b]]"},
		{"", "[]"},
		{"a,", "[[a]]"},
		{"a (>= 1", `"a (>= 1" has no closing parenthesis`},
		{"a ()", `"a ()" has no version`},
		{"a b", `"a b" needs a comma before "b"`},
		{", a", `", a" has no name of a package`},
	} {
		got, err := debian.ParseRelations(c.text)
		s := fmt.Sprint(got)
		if err != nil {
			s = err.Error()
		}
		if s != c.want {
			t.Errorf("%q is %s, want %s", c.text, s, c.want)
		}
	}
}

func TestParsePreferences(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# all\nPackage: *\nPin: release a=stable, o=Debian\nPin-Priority: 900\n\nPackage: a b\n# why\nPin: version 1.*\nPin-Priority: -1\n", "2"},
		{"Package: *\nPin: origin \"\"\nPin-Priority: never\n", "1"},
		{"Explanation: x\nPackage: src:a\nPin: release bookworm\nPin-Priority: 1\n", "1"},
		{"\n\nPin: release a=b\nPin-Priority: 1\n", "p:3: a pin needs a Package field: name packages, or write *"},
		{"Package: *\nPin: version 1\nPin-Priority: 1\n", "p:2: a pin to a version is not for Package: *: name packages"},
		{"Package: a\nPin: suite b\nPin-Priority: 1\n", `p:2: a pin cannot select by "suite": use release, version or origin`},
		{
			"Package: a\nPin: release z=b\nPin-Priority: 1\n",
			`p:2: "z=b" does not select a release: use a=, n=, o=, l=, c=, v= or b=`,
		},
		{
			"Package: a\nPin: release a=b\nPin-Priority: 0\n",
			`p:3: "0" is not a priority: use a number between -32768 and 32767, except 0`,
		},
		{"Package: a\nPin: release a=b\nPin-Priority: never\n", "p:3: the priority never is only for Package: *"},
		{"Package: /a/\nPin: release a=b\nPin-Priority: 1\n", "p:1: the pattern /a/ is a regular expression: use a glob such as lib*"},
		{"Package: a\nNew: x\nPin: release a=b\n", "p:2: a pin has no field New: use Package, Pin, Pin-Priority or Explanation"},
		{"Package: a\nPin\n", `p:2: "Pin" is not a field: write Name: value`},
		{
			"Package: a\nPin: release\nPin-Priority: 1\n",
			`p:2: a pin by "release" needs a value: write release a=stable, version 1.* or origin deb.debian.org`,
		},
	} {
		pins, err := debian.ParsePreferences("p", c.text)
		got := fmt.Sprint(len(pins))
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestParseSettings(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"APT::Install-Recommends \"false\";", "NoRecommends:true"},
		{"APT { Install-Suggests \"1\"; Get { Purge yes; }; };", "Suggests:true Purge:true"},
		{"// a\n/* b\nc */ # d\nAPT::Default-Release \"sid\"; Acquire::Retries \"3\";", "DefaultRelease:sid"},
		{"APT::NeverAutoRemove { \"^a\"; \"^b$\"; };", "NeverAutoRemove:[^a ^b$]"},
		{"APT::NeverAutoRemove:: \"^a\"; #clear APT::NeverAutoRemove;", ""},
		{"apt::AutoRemove::SuggestsImportant \"false\"; DPkg::Post-Invoke { \"rm -f /x || true; y\"; };", "KeepNoSuggests:true"},
		{
			"\nAPT::Solver \"3.0\";", "c:2: apt::solver is not known, and may decide which packages are taken: remove it",
		},
		{"APT::Install-Suggests \"maybe\";", `c:1: "maybe" is neither true nor false`},
		{"APT {\n", "c:2: the block apt has no closing brace"},
		{"}", "c:1: a brace closes nothing"},
		{"a \"b", "c:1: a quote has no end"},
		{"/* a", "c:1: a comment has no end"},
		{"a b", `c:1: "a" has no semicolon`},
		{"\"a\";", `c:1: "a" has no name`},
		{"#include \"/x\";", `c:1: "#include" is not understood: write Name "value";`},
		{"APT::NeverAutoRemove { \"(\"; };", "c:1: \"(\" is not a regular expression: error parsing regexp: missing closing ): `(`"},
	} {
		var s debian.Settings
		var got string
		if err := s.ParseSettings("c", c.text); err != nil {
			got = err.Error()
		} else {
			got = set(fmt.Sprintf("%+v", s), fmt.Sprintf("%+v", debian.Settings{}))
		}
		if got != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
	var s debian.Settings
	for _, o := range []string{"APT::Install-Recommends=0", "APT::NeverAutoRemove::=^x"} {
		if err := s.Set(o); err != nil {
			t.Error(err)
		}
	}
	if !s.NoRecommends || len(s.NeverAutoRemove) != 1 {
		t.Errorf("the options give %+v", s)
	}
	if err := s.Set("x"); err == nil || err.Error() != `the option "x" has no value: write -o Name=value` {
		t.Errorf("an option without a value: %v", err)
	}
}

// set returns the fields of a printed struct that differ from those of another.
func set(got, zero string) string {
	var all []string
	other := strings.Fields(strings.Trim(zero, "{}"))
	for n, f := range splitFields(strings.Trim(got, "{}")) {
		if n < len(other) && f != other[n] {
			all = append(all, f)
		}
	}
	return strings.Join(all, " ")
}

// splitFields splits at spaces that are not in brackets.
func splitFields(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		}
		return r == ' ' && depth == 0
	})
}

func TestParseSources(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a.list", "deb http://d/debian bookworm main contrib # x\ndeb-src http://d/debian bookworm main\n", "deb http://d/debian bookworm main contrib"},
		{
			"a.list", "deb [ arch=amd64,arm64 signed-by=/k.gpg trusted=yes lang=none ] https://d/ stable main",
			"deb https://d stable main arch=[amd64 arm64] key=[/k.gpg] trusted",
		},
		{"a.list", "deb file:/r/$(ARCH) ./", "deb file:/r/amd64 ./"},
		{"a.list", "\ndeb http://d/debian", "a.list:2:5: a source needs a URL and a suite: write deb URL suite component"},
		{"a.list", "rpm http://d/debian x", `a.list:1:1: "rpm" is not a type: write deb URL suite component`},
		{"a.list", "deb [arch=amd64 http://d a b", "a.list:1:5: the options have no closing bracket"},
		{"a.list", "deb [new=1] http://d a b", "a.list:1:6: the option new is not supported: use arch, signed-by, trusted or check-valid-until"},
		{"a.list", "deb [arch+=i386] http://d a b", "a.list:1:6: the option arch+ changes a default: write arch=... with all values"},
		{"a.list", "deb d a b", `a.list:1:5: "d" is not a URL: write it with its scheme, as https://`},
		{"a.list", "deb http://d a", "a.list:1:14: the suite a needs a component, such as main: if the repository is flat, write a/"},
		{"a.list", "deb http://d a/ main", "a.list:1:17: the suite a/ ends in a slash and has no components: remove main"},
		{"a.list", "deb http://d ../x main", `a.list:1:14: the suite "../x" leaves the repository: remove the dots`},
		{
			"a.sources", "# x\nTypes: deb deb-src\nURIs: http://d http://e\nSuites: a b\nComponents: main\nSigned-By: /k /l\n",
			"deb http://d a main key=[/k /l], deb http://d b main key=[/k /l], deb http://e a main key=[/k /l], deb http://e b main key=[/k /l]",
		},
		{"a.sources", "Types: deb\nURIs: http://d\nSuites: a/\nEnabled: no\n\nTypes: deb-src\nURIs: http://d\nSuites: a/\n", ""},
		{
			"a.sources", "Types: deb\nURIs: http://d\nSuites: ./\nTrusted: yes\nCheck-Valid-Until: no\nArchitectures: amd64\n" +
				"Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n -----END PGP PUBLIC KEY BLOCK-----\n",
			"deb http://d ./ arch=[amd64] trusted any date key in file",
		},
		{"a.sources", "\nTypes: deb\nSuites: a\n", "a.sources:2:1: a source needs a field URIs"},
		{"a.sources", "Types: deb\nURIs: http://d\nSuites: a\nNew: x\n", "a.sources:4:1: the option new is not supported: use arch, signed-by, trusted or check-valid-until"},
		{"a.sources", "Types: deb\nURIs: http://d\nSuites: a\n", "a.sources:3:1: the suite a needs a component, such as main: if the repository is flat, write a/"},
		{"a.sources", "Types: x\n", `a.sources:1:1: "x" is not a type: write deb`},
		{"a.sources", "Types: deb\nnonsense\n", `a.sources:2: "nonsense" is not a field: write Name: value`},
	} {
		found, err := debian.ParseSources(c.file, c.text, "amd64")
		var all []string
		for _, s := range found {
			line := s.String()
			if len(s.Architectures) > 0 {
				line += fmt.Sprintf(" arch=%v", s.Architectures)
			}
			if len(s.SignedBy) > 0 {
				line += fmt.Sprintf(" key=%v", s.SignedBy)
			}
			for text, on := range map[string]bool{" trusted": s.Trusted} {
				if on {
					line += text
				}
			}
			if s.NoValidUntil {
				line += " any date"
			}
			if strings.HasPrefix(s.Key, "\n-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nabc\n") || strings.HasPrefix(s.Key, "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nabc\n") {
				line += " key in file"
			}
			all = append(all, line)
		}
		got := strings.Join(all, ", ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}
