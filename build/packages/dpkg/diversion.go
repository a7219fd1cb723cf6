package dpkg

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// diversion is one side of a diversion of dpkg-divert: the path that packages have, or the path
// that is used in its place.
type diversion struct {
	instead  *file   // where other packages' versions of the file go
	cameFrom *file   // whose versions come here
	set      *pkgset // the package that the file is not diverted for; nil for none
}

// use returns the path at which a package has a file.
func (f *file) use(p *pkg) *file {
	if f.divert != nil && f.divert.instead != nil && f.divert.set != p.set {
		return f.divert.instead
	}
	return f
}

// loadDiversions reads the diversions again, if the file is another one.
func (db *database) loadDiversions() error {
	const at = admin + "/diversions"
	n, err := db.t.Lstat(at)
	if err != nil || n == db.divertsAt && n != nil {
		return err
	}
	db.divertsAt = n
	for _, f := range db.diverted {
		f.divert = nil
	}
	db.diverted = nil
	text, err := tree.ReadText(db.t, at)
	if err != nil || len(text) == 0 {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines)%3 != 0 {
		return fmt.Errorf("%s: a diversion has three lines, and the file %d in all", at, len(lines))
	}
	for n := 0; n < len(lines); n += 3 {
		from, to := db.file(lines[n]), db.file(lines[n+1])
		var set *pkgset
		if lines[n+2] != ":" {
			set = db.set(lines[n+2])
		}
		if from.divert != nil || to.divert != nil {
			return fmt.Errorf("%s:%d: there are two diversions of %s or %s", at, n+1, from.name, to.name)
		}
		from.divert = &diversion{instead: to, set: set}
		to.divert = &diversion{cameFrom: from, set: set}
		db.diverted = append(db.diverted, from, to)
	}
	return nil
}

// override is what dpkg-statoverride has set for a file.
type override struct {
	uid, gid int
	mode     fs.FileMode
}

// loadOverrides reads the overrides of owners and modes.
func (db *database) loadOverrides() error {
	const at = admin + "/statoverride"
	text, err := tree.ReadText(db.t, at)
	if err != nil {
		return err
	}
	for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if line == "" && n == 0 {
			return nil
		}
		words := strings.SplitN(line, " ", 4)
		if len(words) < 4 {
			return fmt.Errorf("%s:%d: %.60q is not an owner, a group, a mode and a file", at, n+1, line)
		}
		mode, err := strconv.ParseUint(words[2], 8, 12)
		if err != nil {
			return fmt.Errorf("%s:%d: %.20q is not a mode", at, n+1, words[2])
		}
		o := &override{mode: unixMode(uint32(mode))}
		if o.uid, err = db.overrideID("/etc/passwd", words[0]); err == nil {
			o.gid, err = db.overrideID("/etc/group", words[1])
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", at, n+1, err)
		}
		f := db.file(words[3])
		if f.override != nil {
			return fmt.Errorf("%s:%d: %s is there twice", at, n+1, words[3])
		}
		f.override = o
	}
	return nil
}

// overrideID returns the number of a user or group: its name, or # and the number.
func (db *database) overrideID(accounts, name string) (int, error) {
	if number, ok := strings.CutPrefix(name, "#"); ok {
		n, err := strconv.ParseUint(number, 10, 31)
		if err != nil {
			return 0, fmt.Errorf("%.20q is not a number", name)
		}
		return int(n), nil
	}
	fields, err := tree.Account(db.t, accounts, name, 3)
	if err != nil {
		return 0, err
	}
	return fields[2], nil
}

// unixMode turns the bits of chmod into a mode.
func unixMode(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits) & fs.ModePerm
	for _, b := range []struct {
		bit  uint32
		mode fs.FileMode
	}{{0o4000, fs.ModeSetuid}, {0o2000, fs.ModeSetgid}, {0o1000, fs.ModeSticky}} {
		if bits&b.bit != 0 {
			mode |= b.mode
		}
	}
	return mode
}
