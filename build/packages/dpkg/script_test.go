package dpkg_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages/dpkg"
	"github.com/slipway-dev/slipway/build/packages/dpkg/deb"
	"github.com/slipway-dev/slipway/build/packages/maintainer"
	"github.com/slipway-dev/slipway/internal/testing/debtest"
)

// scripted is a package with all maintainer scripts.
func scripted(name, version, fields string, more info) pack {
	i := info{}
	for _, s := range []string{"preinst", "postinst", "prerm", "postrm"} {
		i[s] = "#!/bin/sh\n"
	}
	maps.Copy(i, more)
	return one(name, version, fields, i, files{{Name: "./usr/share/" + name + "/" + version, Text: "x"}})
}

const favor = "in-favour" //nolint:misspell // the word of dpkg

// TestScripts compares with what dpkg 1.21.23 and apt 2.6.2 called.
func TestScripts(t *testing.T) {
	a := func(version string) pack { return scripted("a", version, "", info{"conffiles": "/etc/a\n"}) }
	man := func(version string) pack {
		return scripted("man", version, "", info{"triggers": "interest /usr/share/u\ninterest named\n"})
	}
	named := info{"triggers": "activate named\n"}
	for _, c := range []struct {
		name  string
		steps []step
		want  string
	}{
		{"upgrade", []step{
			{install: []pack{a("1")}},
			{install: []pack{a("2")}},
			{remove: "a"},
			{install: []pack{a("3")}, apt: true},
			{remove: "a", purge: true, apt: true},
		}, `a preinst install; a postinst configure ""; ` +
			`a prerm upgrade 2; a preinst upgrade 1 2; a postrm upgrade 2; a postinst configure 1; ` +
			`a prerm remove; a postrm remove; ` +
			`a preinst install 2 3; a postinst configure 2; ` +
			`a prerm remove; a postrm remove; a postrm purge`},
		{"conflict", []step{
			{install: []pack{scripted("a", "1", "", nil)}},
			{install: []pack{scripted("br", "1", "Breaks: a (<< 2)\n", nil), scripted("a", "2", "", nil)}},
			{install: []pack{scripted("c", "1", "Conflicts: a\nReplaces: a\n", nil)}},
		}, `a preinst install; a postinst configure ""; ` +
			`a prerm deconfigure ` + favor + ` br 1; br preinst install; a prerm upgrade 2; a preinst upgrade 1 2; ` +
			`a postrm upgrade 2; br postinst configure ""; a postinst configure 1; ` +
			`a prerm remove ` + favor + ` c 1; c preinst install; a postrm remove; c postinst configure ""`},
		{"triggers", []step{
			{install: []pack{man("1")}},
			{install: []pack{scripted("w", "1", "Depends: u\n", named), scripted("u", "1", "", named)}},
		}, `man preinst install; man postinst configure ""; w preinst install; u preinst install; ` +
			`u postinst configure ""; man postinst triggered "/usr/share/u named"; w postinst configure ""; ` +
			`man postinst triggered named`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := play(t, c.steps); got != c.want {
				t.Errorf("called\n%s\nnot\n%s", strings.ReplaceAll(got, "; ", "\n"), strings.ReplaceAll(c.want, "; ", "\n"))
			}
		})
	}
}

type step struct {
	install    []pack
	remove     string
	purge, apt bool
}

// play carries out steps, and returns the calls of scripts.
func play(t *testing.T, steps []step) string {
	t.Helper()
	p := newPair(t)
	var calls []string
	for n, s := range steps {
		tx := dpkg.Transaction{
			Architecture: "amd64", Dpkg: !s.apt, Archives: p.archives, Options: []string{"--auto-deconfigure"},
			Script: func(_ context.Context, t *tree.Tree, s maintainer.Script) error {
				call := s.Package + " " + s.Name
				for _, arg := range s.Args {
					if arg == "" || strings.Contains(arg, " ") {
						arg = fmt.Sprintf("%q", arg)
					}
					call += " " + arg
				}
				calls = append(calls, call)
				return nil
			},
		}
		for _, one := range s.install {
			d, err := deb.Open(fmt.Sprint(n), layer.Bytes(debtest.Make(one)), deb.Identity{})
			if err != nil {
				t.Fatal(err)
			}
			tx.Changes = append(tx.Changes, dpkg.Change{Deb: d})
		}
		if s.remove != "" {
			tx.Changes = append(tx.Changes, dpkg.Change{Name: s.remove, Purge: s.purge})
		}
		if _, err := dpkg.Install(t.Context(), p.tree, tx); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(calls, "; ")
}

// TestRefused has what dpkg refuses.
func TestRefused(t *testing.T) {
	there := one("there", "1", "", info{"conffiles": "/etc/c\n"}, files{{Name: "./usr/file", Text: "x"}, {Name: "./etc/c", Text: "1"}})
	for _, c := range []struct {
		name string
		pack pack
		want string
	}{
		{"overwrite", one("a", "1", "", nil, files{{Name: "./usr/file", Text: "y"}}), "/usr/file is also in package there 1"},
		{"directory", one("a", "1", "", nil, files{{Name: "./usr", Text: "y"}}), "/usr would replace a directory of package there"},
		{"architecture", one("a", "1", "Architecture: other\n", nil, nil), "its architecture is other"},
		{"depends", one("a", "1", "Depends: none\n", nil, nil), "it depends on none, which is not there"},
		{"pre-depends", one("a", "1", "Pre-Depends: none\n", nil, nil), "a has Pre-Depends: none"},
		{"conflicts", one("a", "1", "Conflicts: there\n", nil, nil), "a has Conflicts: there, and there 1 is there"},
		{"breaks", one("a", "1", "Breaks: there\n", nil, nil), "a has Breaks: there"},
		{"conffile", one("there", "2", "", info{"conffiles": "/etc/c\n"}, files{{Name: "./etc/c", Text: "2"}}), "the conffile /etc/c was changed"},
		{"triggers", one("a", "1", "", info{"triggers": "run x\n"}, nil), `triggers:1: "run" is not a directive`},
		{"conffiles", one("a", "1", "", info{"conffiles": "etc/x\n"}, nil), "conffiles:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPair(t)
			p.dir = "" // dpkg leaves its packages half installed then
			p.install(nil, there)
			p.write("/etc/c", "mine")
			d, err := deb.Open("new.deb", layer.Bytes(debtest.Make(c.pack)), deb.Identity{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = dpkg.Install(t.Context(), p.tree, dpkg.Transaction{
				Architecture: p.arch, Dpkg: true, Archives: p.archives, Changes: []dpkg.Change{{Deb: d}},
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, and has to say %q", err, c.want)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# comment\nforce-unsafe-io\npath-exclude=/usr/share/man/*\npath-include /x\nlog /var/log/dpkg.log\nno-debsig\n", ""},
		{"force-confold,confdef\n", ""},
		{"pre-invoke=rm -rf /\n", "/etc/dpkg/dpkg.cfg.d/x:1: option"},
		{"\nforce-all\n", "/etc/dpkg/dpkg.cfg.d/x:2: option force-all"},
		{"path-exclude=[[:alpha:]]\n", "is not a pattern"},
	} {
		tr := tree.New(nil)
		if err := tr.WriteText("/etc/dpkg/dpkg.cfg.d/x", []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := tr.WriteText("/etc/dpkg/dpkg.cfg.d/x.ignored", []byte("nonsense\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := dpkg.Install(t.Context(), tr, dpkg.Transaction{Architecture: "amd64"})
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}
