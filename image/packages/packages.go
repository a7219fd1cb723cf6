// Package packages reads which packages of a Linux distribution are installed in the files of an
// image, for the bills of materials of a release.
//
// The packages are in dpkg's /var/lib/dpkg/status or, in images without dpkg (distroless), in a
// file for each package in /var/lib/dpkg/status.d. A distribution names itself in
// /etc/os-release, and each package its licenses in /usr/share/doc/NAME/copyright.
package packages

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform/distribution"
)

// The databases of dpkg.
const (
	statusFile = "/var/lib/dpkg/status"
	statusDir  = "/var/lib/dpkg/status.d"
)

// maxField bounds in bytes the texts that are taken from a file. Those of real packages have less
// than 200.
const maxField = 1024

// List returns the packages that are installed in a tree, in the order of [lock.ComparePackages].
// There are none where no package manager is known.
func List(t tree.Files) ([]lock.Package, error) {
	paragraphs, err := database(t)
	if err != nil || len(paragraphs) == 0 {
		return nil, err
	}
	on, err := release(t)
	if err != nil {
		return nil, err
	}
	var all []lock.Package
	for _, p := range paragraphs {
		one, ok := p.pkg()
		if !ok {
			continue
		}
		one.Distribution, one.Release, one.Codename = on.ID, on.Version, on.Codename
		if err := one.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w: it is not a file of dpkg", p.file, err)
		}
		all = append(all, one)
	}
	if len(all) > lock.MaxPackages {
		return nil, fmt.Errorf("%s has more than %d packages", statusFile, lock.MaxPackages)
	}
	slices.SortStableFunc(all, lock.ComparePackages)
	all = slices.CompactFunc(all, func(a, b lock.Package) bool { return lock.ComparePackages(a, b) == 0 })
	for n := range all {
		if all[n].Licenses, err = licenses(t, all[n].Name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Unread returns the database of packages that is in a tree and that [List] does not read; "" for
// none.
func Unread(t tree.Files) (string, error) {
	for _, name := range []string{
		"/lib/apk/db/installed", "/usr/lib/apk/db/installed", "/var/lib/rpm", "/usr/lib/sysimage/rpm",
		"/var/lib/rpmmanifest", "/var/lib/pacman/local",
	} {
		if _, n, err := tree.Resolve(t, name); err != nil || n != nil {
			return name, err
		}
	}
	return "", nil
}

// database returns the paragraphs of all files that list packages.
func database(t tree.Files) ([]paragraph, error) {
	text, err := tree.ReadText(t, statusFile)
	if err != nil {
		return nil, err
	}
	all := paragraphs(statusFile, text, true)
	dir, n, err := tree.Resolve(t, statusDir)
	if err != nil || n == nil || n.Kind != layer.Dir {
		return all, err
	}
	names, err := t.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		file := path.Join(dir, name)
		_, n, err := tree.Resolve(t, file)
		if err != nil && !tree.Loops(err) {
			return nil, err
		}
		if n == nil || n.Kind != layer.Regular || path.Ext(name) == ".md5sums" {
			continue
		}
		text, err := tree.ReadText(t, file)
		if err != nil {
			return nil, err
		}
		all = append(all, paragraphs(file, text, false)...)
	}
	return all, nil
}

// paragraph has the fields of one package that are of interest.
type paragraph struct {
	file    string
	managed bool // by dpkg, which states whether the package is installed
	fields  map[string]string
}

var wanted = []string{"package", "status", "version", "architecture", "source"}

// paragraphs reads a control file. Lines that are not understood are left to dpkg.
func paragraphs(file string, text []byte, managed bool) (all []paragraph) {
	fields := map[string]string{}
	end := func() {
		if len(fields) > 0 {
			all = append(all, paragraph{file, managed, fields})
			fields = map[string]string{}
		}
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) == 0 {
			end()
			continue
		}
		key, value, ok := bytes.Cut(line, []byte(":"))
		if !ok || line[0] == ' ' || line[0] == '\t' || len(value) > maxField {
			continue
		}
		if name := strings.ToLower(string(key)); slices.Contains(wanted, name) {
			fields[name] = strings.TrimSpace(string(value))
		}
	}
	end()
	return all
}

// pkg returns the package of a paragraph, and whether it is installed: unpacked at least.
func (p paragraph) pkg() (lock.Package, bool) {
	words := strings.Fields(p.fields["status"])
	state := "installed"
	if p.managed || len(words) > 0 {
		if state = "not-installed"; len(words) == 3 {
			state = words[2]
		}
	}
	if p.fields["package"] == "" || state == "not-installed" || state == "config-files" {
		return lock.Package{}, false
	}
	name, version, _ := strings.Cut(p.fields["source"], " ")
	version = strings.Trim(strings.TrimSpace(version), "()")
	out := lock.Package{
		Type: lock.PackageDeb, Name: p.fields["package"], Version: p.fields["version"],
		Architecture: p.fields["architecture"], Source: name, SourceVersion: version,
	}
	if out.Source == out.Name {
		out.Source = ""
	}
	if out.SourceVersion == out.Version {
		out.SourceVersion = ""
	}
	return out, true
}

// release reads which distribution a tree is of.
func release(t tree.Files) (r distribution.OSRelease, err error) {
	for _, file := range distribution.Files {
		text, err := tree.ReadText(t, file)
		if err != nil {
			return r, err
		}
		if text != nil {
			return distribution.Parse(text), nil
		}
	}
	return r, nil
}
