package debian_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/packages/debian"
)

// repository returns a repository of a suite.
func repository(suite string) *debian.Repository {
	return &debian.Repository{
		URL: "http://deb.test/debian", Suite: suite, Component: "main", Archive: suite, Codename: suite, Origin: "Debian",
	}
}

// packages writes an index. A package is name version, and its fields after that, separated by
// semicolons: "a 1; Depends: b; Multi-Arch: same".
func packages(arch string, all ...string) string {
	var b strings.Builder
	for _, p := range all {
		fields := strings.Split(p, ";")
		name, version, _ := strings.Cut(fields[0], " ")
		fmt.Fprintf(&b, "Package: %s\nVersion: %s\nArchitecture: %s\n", name, version, arch)
		for _, f := range fields[1:] {
			b.WriteString(strings.TrimSpace(f) + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// installed writes a status file.
func installed(all ...string) string {
	for n, p := range all {
		if !strings.Contains(p, "Status:") {
			all[n] = p + "; Status: install ok installed"
		}
	}
	return packages("amd64", all...)
}

type rule struct {
	name   string
	stable []string
	next   []string // of another suite
	status []string
	auto   string // names
	pins   string
	r      debian.Request
	want   string // changes, or the error
}

// TestRules checks one rule after the other.
func TestRules(t *testing.T) {
	for _, c := range rules {
		t.Run(c.name, func(t *testing.T) {
			u := debian.NewUniverse("amd64")
			for n, all := range [][]string{c.stable, c.next} {
				r := repository([]string{"stable", "next"}[n])
				if err := u.Add(r, "amd64", packages("amd64", all...)); err != nil {
					t.Fatal(err)
				}
			}
			if err := u.AddStatus("status", installed(c.status...)); err != nil {
				t.Fatal(err)
			}
			var states strings.Builder
			for name := range strings.FieldsSeq(c.auto) {
				fmt.Fprintf(&states, "Package: %s\nArchitecture: amd64\nAuto-Installed: 1\n\n", name)
			}
			if err := u.AddExtendedStates("extended_states", states.String()); err != nil {
				t.Fatal(err)
			}
			pins, err := debian.ParsePreferences("preferences", c.pins)
			if err != nil {
				t.Fatal(err)
			}
			c.r.Pins = pins
			if got := answer(u.Resolve(c.r)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// answer writes a plan on one line.
func answer(p *debian.Plan, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var all []string
	for _, c := range p.Changes {
		s := fmt.Sprintf("%s %s %s", c.Action, c.Name, c.New)
		if c.New == "" {
			s = fmt.Sprintf("%s %s", c.Action, c.Name)
		}
		if c.Auto {
			s += " auto"
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

func install(names ...string) debian.Request { return debian.Request{Names: names} }

func command(c debian.Command, names ...string) debian.Request {
	return debian.Request{Command: c, Names: names}
}

func with(r debian.Request, set func(*debian.Settings)) debian.Request {
	set(&r.Settings)
	return r
}

// TestAmbiguous checks that a choice which apt makes by chance is an error that names the
// packages, and that naming one of them in the request is enough.
func TestAmbiguous(t *testing.T) {
	u := debian.NewUniverse("amd64")
	text := packages("amd64", "a 1; Depends: v", "b 1; Provides: v", "c 1; Provides: v")
	if err := u.Add(repository("stable"), "amd64", text); err != nil {
		t.Fatal(err)
	}
	_, err := u.Resolve(install("a"))
	var ambiguous *debian.AmbiguousError
	if !errors.As(err, &ambiguous) || strings.Join(ambiguous.Choices, " ") != "b c" || ambiguous.Package.Name != "a" {
		t.Fatalf("the error is %v", err)
	}
	want := "Depends: v of a can be satisfied by b or c, and apt would choose by chance: name the one to install in the request"
	if err.Error() != want {
		t.Errorf("the error is %q, want %q", err, want)
	}
	if got := answer(u.Resolve(install("a", "c"))); got != "install a 1, install c 1" {
		t.Errorf("with the name of one the answer is %s", got)
	}
}
