package control_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
)

func TestCompare(t *testing.T) {
	// each is older than the next
	versions := []string{
		"1.0~~", "1.0~~a", "1.0~", "1.0~rc1", "1.0", "1.0-0+b1", "1.0-1~bpo", "1.0-1", "1.0-1a", "1.0-1+b1", "1.0-1.1",
		"1.0-2", "1.0-10", "1.0a", "1.0+dfsg-1", "1.0.1-1", "1.2", "1.10", "9.99999999999999999999", "1:0.1", "1:0.1-1", "2:0",
	}
	for a := range versions {
		for b := range versions {
			v, w := parse(t, versions[a]), parse(t, versions[b])
			if got := v.Compare(w); sign(got) != sign(a-b) {
				t.Errorf("%s compares to %s as %d", v, w, got)
			}
			if v.String() != versions[a] {
				t.Errorf("%s is written as %s", versions[a], v)
			}
		}
	}
	if v := parse(t, "0:1.0-1"); v.String() != "1.0-1" || v.Compare(parse(t, "01.00-01")) != 0 {
		t.Errorf("an epoch of zero: %s", v)
	}
	for _, s := range []string{"", "a1", "1-", ":1", "1:", "-1:1", "1 2", "1_2", "99999999999:1", "1-a_b", "é"} {
		if v, err := control.ParseVersion(s); err == nil {
			t.Errorf("%q is taken as %s", s, v)
		}
	}
}

func parse(t *testing.T, s string) control.Version {
	t.Helper()
	v, err := control.ParseVersion(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func TestRelations(t *testing.T) {
	for _, c := range []struct{ field, value, want string }{
		{"Depends", "a", "a"},
		{"Depends", " a (>=1) ,b|c:any  ( << 0:2-1 )", "a (>= 1), b | c:any (<< 2-1)"},
		{"Depends", "a (1), b (< 1), c (> 1), d (=1)", "a (= 1), b (<= 1), c (>= 1), d (= 1)"},
		{"Depends", "a\n (>= 1)", "a (>= 1)"},
		{"Provides", "a (= 1)", "a (= 1)"},
		{"Depends", "", ""},
	} {
		rs, err := control.ParseRelations(c.field, c.value)
		if err != nil || rs.String() != c.want {
			t.Errorf("%q is %q, %v", c.value, rs, err)
		}
	}
	for _, c := range []struct{ field, value string }{
		{"Depends", "a,"},
		{"Depends", "a b"},
		{"Depends", "a (>= )"},
		{"Depends", "a (>= 1"},
		{"Depends", "a [amd64]"},
		{"Depends", "a: (= 1)"},
		{"Depends", "a ()"},
		{"Conflicts", "a | b"},
		{"Depends", "(>= 1)"},
	} {
		if rs, err := control.ParseRelations(c.field, c.value); err == nil || !strings.Contains(err.Error(), c.field) && c.value != "" {
			t.Errorf("%q is %q, %v", c.value, rs, err)
		}
	}
}

func TestStanzas(t *testing.T) {
	var got []string
	err := control.Parse("\nPackage: a\nDescription : x \n y\n .\n z\nEmpty:\n\n\nB:c\n", func(line int, s control.Stanza) error {
		for _, f := range s {
			got = append(got, f.Name+"="+f.Value)
		}
		got = append(got, strings.Repeat("-", line))
		return nil
	})
	if want := "Package=a Description=x \n y\n .\n z Empty= -- B=c ----------"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %q, %v", got, err)
	}
	for _, c := range []struct{ text, want string }{
		{"a", "line 1: the last line has no line feed"},
		{"a\n", `line 1: "a" is not a field`},
		{"a: b\n c", "line 2: the last line has no line feed"},
		{"a: b\n \n", "field a has a blank line"},
		{"a: b\nA: c\n", "line 3: field A is there twice"},
		{" a: b\n", "is not a field"},
		{"-a: b\n", "is not a field"},
		{"a: b\x00\n", "zero byte"},
	} {
		err := control.Parse(c.text, func(int, control.Stanza) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	if _, err := control.One("a: b\n\nc: d\n"); err == nil {
		t.Error("two stanzas are taken for one")
	}
	if _, err := control.One(""); err == nil {
		t.Error("nothing is taken for a stanza")
	}
}

// FuzzVersion compares with dpkg, where there is one.
func FuzzVersion(f *testing.F) {
	dpkg, missing := exec.LookPath("dpkg")
	f.Add("1.0-1", "1:2~")
	f.Add("1.0a", "1.00a")
	f.Fuzz(func(t *testing.T, a, b string) {
		v, err := control.ParseVersion(a)
		if err != nil {
			return
		}
		w, err := control.ParseVersion(b)
		if err != nil {
			return
		}
		c := v.Compare(w)
		if sign(c) != -sign(w.Compare(v)) {
			t.Errorf("%q and %q compare as %d and %d", a, b, c, w.Compare(v))
		}
		if missing != nil {
			return
		}
		op := map[int]string{-1: "lt", 0: "eq", 1: "gt"}[sign(c)]
		if out, err := exec.Command(dpkg, "--compare-versions", v.String(), op, w.String()).CombinedOutput(); err != nil { //nolint:gosec // versions
			t.Errorf("%q is not %s %q for dpkg: %v %s", a, op, b, err, out)
		}
	})
}

// FuzzParse checks that what was read is read the same again.
func FuzzParse(f *testing.F) {
	f.Add("Package: a\nDepends: b (>= 1) | c\n\nX: y\n z\n")
	f.Fuzz(func(t *testing.T, text string) {
		var out strings.Builder
		n := 0
		write := func(_ int, s control.Stanza) error {
			n++
			for _, f := range s {
				out.WriteString(f.Name + ": " + f.Value + "\n")
				if rs, err := control.ParseRelations("Depends", f.Value); err == nil {
					if again, err := control.ParseRelations("Depends", rs.String()); err != nil || again.String() != rs.String() {
						t.Errorf("%q is %q, and then %q, %v", f.Value, rs, again, err)
					}
				}
			}
			out.WriteString("\n")
			return nil
		}
		if control.Parse(text, write) != nil {
			return
		}
		first, stanzas := out.String(), n
		out.Reset()
		n = 0
		if err := control.Parse(first, write); err != nil || n != stanzas || out.String() != first {
			t.Errorf("%q is %q, and then %q, %v", text, first, out.String(), err)
		}
	})
}
