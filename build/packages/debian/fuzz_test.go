package debian_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/packages/debian"
)

// FuzzUniverse checks that an index and a status of any text can be read and resolved without a
// panic, and that a plan is about packages that exist.
func FuzzUniverse(f *testing.F) {
	f.Add(packages("amd64", "a 1; Depends: b | c (>= 1); Multi-Arch: same", "b 1; Provides: c (= 2); Conflicts: d"), installed("d 1"))
	f.Add("Package: a\nVersion: 1\nDepends: b:any, c:amd64\n d\n", "Package: a\nStatus: hold ok installed\nVersion: 1\n")
	f.Add("Package: x\n\n\n", "a")
	f.Fuzz(func(t *testing.T, index, status string) {
		if len(index) > 4096 || len(status) > 4096 {
			return
		}
		u := debian.NewUniverse("amd64", "i386")
		if u.Add(repository("stable"), "amd64", index) != nil || u.AddStatus("status", status) != nil {
			return
		}
		for _, name := range u.Names()[:min(3, len(u.Names()))] {
			plan, err := u.Resolve(install(name))
			if err != nil {
				continue
			}
			for _, c := range plan.Changes {
				if c.Package == nil || c.Name == "" {
					t.Errorf("a change without a package: %+v", c)
				}
			}
		}
	})
}

// FuzzRelations checks that what is parsed is printed and parsed to the same.
func FuzzRelations(f *testing.F) {
	for _, s := range []string{"a", "a | b (>= 1), c:any (<< 2~)", "a (= 1) ,, b", "a ("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		groups, err := debian.ParseRelations(text)
		if err != nil {
			return
		}
		var all []string
		for _, g := range groups {
			var alternatives []string
			for _, r := range g {
				alternatives = append(alternatives, r.String())
			}
			all = append(all, strings.Join(alternatives, " | "))
		}
		printed := strings.Join(all, ", ")
		again, err := debian.ParseRelations(printed)
		if err != nil || len(again) != len(groups) {
			t.Errorf("%q is printed as %q, which has %d groups, %v", text, printed, len(again), err)
		}
	})
}

// FuzzCompare checks that the order of versions is one.
func FuzzCompare(f *testing.F) {
	f.Add("1:1.0-1", "1.0~rc1", "2")
	f.Add("", "~", "0-0")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if strings.Contains(a+b+c, "\x00") {
			return // the end of a version for dpkg
		}
		if sign(debian.Compare(a, b)) != -sign(debian.Compare(b, a)) {
			t.Errorf("%q and %q have no order", a, b)
		}
		if debian.Compare(a, b) < 0 && debian.Compare(b, c) < 0 && debian.Compare(a, c) >= 0 {
			t.Errorf("%q, %q and %q have no order", a, b, c)
		}
	})
}

// FuzzRelease checks that reading a Release file ends, and that its indexes are what it names.
func FuzzRelease(f *testing.F) {
	f.Add([]byte(releaseText + " 0000000000000000000000000000000000000000000000000000000000000000 0 main/binary-amd64/Packages\n"))
	f.Add([]byte("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nSHA256:\n-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := debian.VerifyRelease("R", data, &debian.Keyring{}, debian.Check{Now: clock}); err == nil {
			t.Errorf("a release is verified without a key: %+v", r)
		}
		r, err := debian.ReadUnsigned("R", data, debian.Check{Now: clock})
		if err != nil {
			return
		}
		found, _ := r.Indexes([]string{"main"}, "amd64")
		for _, i := range found {
			if !strings.HasPrefix(i.Path, "main/") || i.Size < 0 || len(i.SHA256) != 64 {
				t.Errorf("the index %+v", i)
			}
		}
	})
}

// FuzzSources checks that sources have a URL and a suite.
func FuzzSources(f *testing.F) {
	f.Add("deb [arch=amd64] http://d a main # x\n", false)
	f.Add("Types: deb\nURIs: http://d\nSuites: a\nComponents: main\n", true)
	f.Fuzz(func(t *testing.T, text string, stanzas bool) {
		name := "a.list"
		if stanzas {
			name = "a.sources"
		}
		found, err := debian.ParseSources(name, text, "amd64")
		if err != nil && !strings.HasPrefix(err.Error(), name+":") {
			t.Errorf("an error without a place: %v", err)
		}
		for _, s := range found {
			if s.URL == "" || s.Suite == "" || s.Line < 1 || s.Base() == "" {
				t.Errorf("the source %+v", s)
			}
		}
	})
}

// FuzzSettings checks that errors have a place, as those of preferences.
func FuzzSettings(f *testing.F) {
	f.Add("APT { Install-Recommends \"0\"; Get::Purge \"1\"; }; // x\n", "Package: *\nPin: release a=b\nPin-Priority: 1\n")
	f.Add("#clear a b; x { \"y\"; };", "")
	f.Fuzz(func(t *testing.T, conf, preferences string) {
		var s debian.Settings
		if err := s.ParseSettings("c", conf); err != nil && !strings.HasPrefix(err.Error(), "c:") {
			t.Errorf("an error without a place: %v", err)
		}
		if _, err := debian.ParsePreferences("p", preferences); err != nil && !strings.HasPrefix(err.Error(), "p:") {
			t.Errorf("an error without a place: %v", err)
		}
	})
}
