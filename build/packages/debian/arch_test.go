package debian_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/packages/debian"
)

// TestMultiArch checks which packages satisfy a dependency of another architecture.
func TestMultiArch(t *testing.T) {
	for _, c := range []struct {
		name           string
		native, others []string
		status         []string
		ask, want      string
	}{
		{
			"same",
			[]string{"a 1; Multi-Arch: same"},
			[]string{"a 1; Multi-Arch: same"},
			[]string{"a 1; Multi-Arch: same"},
			"a:i386", "install a:i386 1",
		},
		{
			"same in another version",
			[]string{"a 1; Multi-Arch: same"},
			[]string{"a 2; Multi-Arch: same"},
			[]string{"a 1; Multi-Arch: same"},
			"a:i386", "install a:i386 2, remove a:amd64",
		},
		{
			"not together", []string{"a 1"}, []string{"a 1"}, []string{"a 1"}, "a:i386", "install a:i386 1, remove a:amd64",
		},
		{
			"foreign",
			[]string{"b 1; Multi-Arch: foreign"},
			[]string{"a 1; Depends: b", "b 1; Multi-Arch: foreign"},
			nil,
			"a:i386", "install a:i386 1, install b:amd64 1",
		},
		{
			"foreign is installed",
			[]string{"b 1; Multi-Arch: foreign"},
			[]string{"a 1; Depends: b"},
			[]string{"b 1; Multi-Arch: foreign"},
			"a:i386", "install a:i386 1",
		},
		{
			"allowed",
			[]string{"b 1; Multi-Arch: allowed"},
			[]string{"a 1; Depends: b:any"},
			nil,
			"a:i386", "install a:i386 1, install b:amd64 1",
		},
		{
			"allowed without any",
			[]string{"b 1; Multi-Arch: allowed"},
			[]string{"a 1; Depends: b"},
			nil, "a:i386",
			"error: installing a:i386 (1): Depends: b of a: no repository has it: add the repository that has it",
		},
		{"only for another architecture", nil, []string{"a 1"}, nil, "a", "install a:i386 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := debian.NewUniverse("amd64", "i386")
			for arch, all := range map[string][]string{"amd64": c.native, "i386": c.others} {
				if err := u.Add(repository("stable"), arch, packages(arch, all...)); err != nil {
					t.Fatal(err)
				}
			}
			if err := u.AddStatus("status", installed(c.status...)); err != nil {
				t.Fatal(err)
			}
			plan, err := u.Resolve(install(c.ask))
			var all []string
			if err != nil {
				all = []string{"error: " + err.Error()}
			} else {
				for _, change := range plan.Changes {
					line := string(change.Action) + " " + change.Name + ":" + change.Arch + " " + change.New
					all = append(all, strings.TrimSpace(line))
				}
				if len(all) > 1 && strings.HasPrefix(all[0], "remove") {
					all[0], all[1] = all[1], all[0]
				}
			}
			if got := strings.Join(all, ", "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestLocal checks that a file satisfies a request, and takes its dependencies from repositories.
func TestLocal(t *testing.T) {
	u := debian.NewUniverse("amd64")
	if err := u.Add(repository("stable"), "amd64", packages("amd64", "a 3", "b 1; Filename: pool/b.deb; Size: 7; SHA256: AB")); err != nil {
		t.Fatal(err)
	}
	p, err := u.AddLocal("./a.deb", strings.TrimSpace(packages("amd64", "a 2; Depends: b")))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := u.Resolve(debian.Request{Local: []*debian.Package{p}})
	if got := answer(plan, err); got != "install a 2, install b 1 auto" {
		t.Fatalf("the answer is %s", got)
	}
	a, b := plan.Changes[0], plan.Changes[1]
	if a.Package.File() != "./a.deb" || a.Package.Repository() != nil || !a.Why.Asked {
		t.Errorf("the file is %+v", a)
	}
	if b.Package.Filename() != "pool/b.deb" || b.Package.Size() != 7 || b.Package.SHA256() != "ab" ||
		b.Package.Repository().Suite != "stable" || b.Why.String() != "a Depends: b" || b.Why.By.Name != "a" {
		t.Errorf("the dependency is %+v, because of %s", b, b.Why)
	}
	if !plan.Auto("b", "amd64") || plan.ExtendedStates() != "Package: b\nArchitecture: amd64\nAuto-Installed: 1\n\n" {
		t.Errorf("the marks are %q", plan.ExtendedStates())
	}
	for control, want := range map[string]string{
		"": "./a.deb has an empty control file: build the package again",
		"Package: a\nVersion: 1\nArchitecture: arm64": "./a.deb is for arm64: give a package for amd64",
		"Package: a": "the control file of ./a.deb: a has no Version field",
	} {
		if _, err := u.AddLocal("./a.deb", control); err == nil || err.Error() != want {
			t.Errorf("a control file %q: %v, want %s", control, err, want)
		}
	}
}

// TestFaults checks the errors of indexes and status files.
func TestFaults(t *testing.T) {
	for index, want := range map[string]string{
		"Package: a\nVersion: 1\n\n\nVersion: 2\n": "line 5: there is no Package field",
		"Package: a\n": "line 1: a has no Version field",
		"Package: a\nVersion: 1\nProvides: b (\n": `line 1: a has a wrong Provides field: "b (" has no closing parenthesis`,
	} {
		u := debian.NewUniverse("amd64")
		want = "reading the amd64 packages of http://deb.test/debian stable main: " + want
		if err := u.Add(repository("stable"), "amd64", index); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", index, err, want)
		}
	}
	u := debian.NewUniverse("amd64")
	want := `s:2: b has the status "install": it must be like "install ok installed"`
	if err := u.AddStatus("s", "\nPackage: b\nVersion: 1\nStatus: install\n"); err == nil || err.Error() != want {
		t.Errorf("a wrong status: %v, want %s", err, want)
	}
	if err := u.AddExtendedStates("e", "Auto-Installed: 1\n"); err == nil || err.Error() != "e:1: there is no Package field" {
		t.Errorf("a wrong mark: %v", err)
	}
	u = debian.NewUniverse("amd64")
	if err := u.Add(repository("stable"), "amd64", packages("amd64", "a 1; Depends: b c")); err != nil {
		t.Fatal(err)
	}
	want = `a:amd64 (1): Depends: "b c" needs a comma before "c"`
	if _, err := u.Resolve(install("a")); err == nil || err.Error() != want {
		t.Errorf("a wrong relation: %v, want %s", err, want)
	}
}
