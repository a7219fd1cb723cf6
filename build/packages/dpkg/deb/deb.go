// Package deb reads .deb files, the archives of Debian packages (deb(5)), without a program of
// the distribution.
//
// A .deb is an ar archive of three members: debian-binary with the version of the format, a tar
// with the control file and the maintainer scripts, and a tar with the files. [Open] reads the
// first two, which are small, and [Deb.Walk] the third, whose files stay in a store.
package deb

import (
	"cmp"
	"fmt"
	"io/fs"
	"strings"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
)

// Deb is an open .deb.
type Deb struct {
	File     string // its name, for errors
	Identity        // what its control file says
	Control  control.Stanza
	Info     []Info // the other files of control.tar, in their order

	content layer.Content
	data    member // data.tar
}

// Identity is what a .deb is. Fields that are empty are not compared.
type Identity struct{ Package, Version, Architecture string }

// Info is a file of control.tar: a maintainer script, conffiles, md5sums, triggers, shlibs,
// symbols, templates.
type Info struct {
	Name        string
	Mode        fs.FileMode
	UID, GID    int
	User, Group string
	Text        []byte
}

// Script returns a file of control.tar; nil if there is none.
func (d *Deb) Script(name string) *Info {
	for n := range d.Info {
		if d.Info[n].Name == name {
			return &d.Info[n]
		}
	}
	return nil
}

// Text returns the text of a file of control.tar; empty if there is none.
func (d *Deb) Text(name string) []byte {
	if i := d.Script(name); i != nil {
		return i.Text
	}
	return nil
}

// Open reads the control part of a .deb. file is its name for errors, and want what it must be.
func Open(file string, c layer.Content, want Identity) (*Deb, error) {
	d := &Deb{File: file, content: c}
	if err := d.open(want); err != nil {
		return nil, fmt.Errorf("package %s: %w", file, err)
	}
	return d, nil
}

func (d *Deb) open(want Identity) error {
	if err := d.readMembers(); err != nil {
		return err
	}
	control := d.Text("control")
	if control == nil {
		return fmt.Errorf("its control.tar has no file control")
	}
	if err := d.identify(string(control)); err != nil {
		return fmt.Errorf("control: %w", err)
	}
	for _, f := range []struct{ name, want, got string }{
		{"package", want.Package, d.Package},
		{"version", want.Version, d.Version},
		{"architecture", want.Architecture, d.Architecture},
	} {
		if f.want != "" && f.want != f.got {
			return fmt.Errorf("it says that its %s is %s, not %s: use the package that the index names",
				f.name, cmp.Or(f.got, "empty"), f.want)
		}
	}
	return nil
}

// identify reads the control file.
func (d *Deb) identify(text string) (err error) {
	if d.Control, err = control.One(text); err != nil {
		return err
	}
	d.Package, d.Version = strings.ToLower(d.Control.Get("Package")), d.Control.Get("Version")
	d.Architecture = d.Control.Get("Architecture")
	if err := control.CheckName(d.Package); err != nil {
		return err
	}
	if _, err := control.ParseVersion(d.Version); err != nil {
		return err
	}
	if a := d.Architecture; a == "" || strings.ContainsAny(a, " /:\n") {
		return fmt.Errorf("%.60q is not an architecture", a)
	}
	for _, field := range []string{"Status", "Config-Version"} {
		if d.Control.Get(field) != "" {
			return fmt.Errorf("a package does not have a field %s", field)
		}
	}
	return nil
}
