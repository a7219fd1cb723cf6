package packages_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/packages"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/lock"
)

// files makes a tree of texts; one that begins with -> is a symbolic link.
func files(t testing.TB, texts map[string]string) *tree.Tree {
	t.Helper()
	f := tree.New(nil)
	for p, text := range texts {
		if err := f.MkdirAll(path.Dir(p), tree.Root); err != nil {
			t.Fatal(err)
		}
		if to, ok := strings.CutPrefix(text, "->"); ok {
			if err := f.Set(p, &tree.Node{Kind: layer.Symlink, Link: to}); err != nil {
				t.Fatal(err)
			}
		} else if err := f.WriteText(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

const status = `Package: libgcc-s1
Status: install ok installed
Architecture: amd64
Multi-Arch: same
Source: gcc-12 (12.2.0-14)
Version: 12.2.0-14+b1
Description: support library
 Package: not a field
 .
Conffiles:
 /etc/a 0123 obsolete

Package: gone
Status: deinstall ok config-files
Architecture: amd64
Version: 1

Package: half
Status: install ok unpacked
Architecture: all
Source: half
Version: 1:2~rc1

package: libgcc-s1
status: hold ok installed
architecture: i386
source: gcc-12 (12.2.0-14+b1)
version: 12.2.0-14+b1
`

var debian = map[string]string{
	"/var/lib/dpkg/status":          status,
	"/etc/os-release":               "->../usr/lib/os-release",
	"/usr/lib/os-release":           "NAME=\"Debian\"\nID=debian\nVERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\n",
	"/usr/share/doc/half/copyright": "Licensed under /usr/share/common-licenses/Apache-2.0.\n",
	"/usr/share/doc/libgcc-s1":      "->half",
	"/usr/bin/half":                 "",
	"/bin":                          "->usr/bin",
}

func pkg(name, version, arch string) lock.Package {
	return lock.Package{
		Type: lock.PackageDeb, Name: name, Version: version, Architecture: arch,
		Distribution: "debian", Release: "12", Codename: "bookworm", Licenses: "Apache-2.0",
	}
}

func TestList(t *testing.T) {
	amd64, i386 := pkg("libgcc-s1", "12.2.0-14+b1", "amd64"), pkg("libgcc-s1", "12.2.0-14+b1", "i386")
	amd64.Source, amd64.SourceVersion, i386.Source = "gcc-12", "12.2.0-14", "gcc-12"
	want := []lock.Package{pkg("half", "1:2~rc1", "all"), amd64, i386}
	got, err := packages.List(files(t, debian))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestDistroless reads what images without dpkg have.
func TestDistroless(t *testing.T) {
	got, err := packages.List(files(t, map[string]string{
		"/var/lib/dpkg/status.d/base":         "Package: base-files\nVersion: 12\nArchitecture: amd64\n",
		"/var/lib/dpkg/status.d/base.md5sums": "0123  Package: a\nPackage: b\nVersion: 1\n",
		"/var/lib/dpkg/status.d/dir/x":        "Package: c\nVersion: 1\nArchitecture: amd64\n",
		"/var/lib/dpkg/status.d/gone":         "Package: d\nStatus: deinstall ok config-files\nVersion: 1\n",
		"/usr/lib/os-release":                 "ID='debian'\n",
	}))
	want := []lock.Package{{
		Type: lock.PackageDeb, Name: "base-files", Version: "12", Architecture: "amd64", Distribution: "debian",
	}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if got, err := packages.List(files(t, map[string]string{"/etc/passwd": ""})); got != nil || err != nil {
		t.Errorf("an image without packages has %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"Package: a b\nVersion: 1\nArchitecture: all\n":     `"a b" is not the name of a package`,
		"Package: a\nArchitecture: all\n":                   "package a lacks its version",
		"Package: a\nVersion: 1\x00\nArchitecture: all\n":   "cannot be printed",
		"Package: a\nVersion: 1\nArchitecture: all\xff\xff": "cannot be printed",
	} {
		_, err := packages.List(files(t, map[string]string{"/var/lib/dpkg/status.d/a": text}))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "/var/lib/dpkg/status.d/a: ") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzList reads files that others wrote: whatever they have, a list is fit for a lock, or refused.
func FuzzList(f *testing.F) {
	f.Add(status, debian["/usr/lib/os-release"], dep5)
	f.Add("Package: a\nVersion: 1\nArchitecture: all\n", "ID=\"\x00\"\nVERSION_ID", "License: GPL-2+, or\n")
	f.Fuzz(func(t *testing.T, status, release, copyright string) {
		tr := tree.New(nil)
		texts := map[string]string{
			"/etc/os-release": release, "/var/lib/dpkg/status": status, "/var/lib/dpkg/status.d/x": status,
		}
		for p, text := range texts {
			if err := tr.WriteText(p, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		list, err := packages.List(tr)
		if err == nil && !slices.IsSortedFunc(list, lock.ComparePackages) {
			t.Errorf("not sorted: %v", list)
		}
		for _, p := range list {
			if err := p.Check(); err != nil {
				t.Error(err)
			}
		}
		checkLicenses(t, copyright)
	})
}

// TestUnread names the databases of other package managers.
func TestUnread(t *testing.T) {
	for name, want := range map[string]string{
		"/lib/apk/db/installed": "/lib/apk/db/installed", "/usr/lib/sysimage/rpm/rpmdb.sqlite": "/usr/lib/sysimage/rpm",
		"/var/lib/dpkg/status": "",
	} {
		if got, err := packages.Unread(files(t, map[string]string{name: "P:musl\n"})); got != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
