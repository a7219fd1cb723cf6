package dpkg

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/layer"
)

// newConffiles reads which files of the new package are conffiles, and what the status says of
// them.
func (u *unpacking) newConffiles() error {
	text := string(u.d.Text("conffiles"))
	if text == "" {
		return nil
	}
	if !strings.HasSuffix(text, "\n") {
		return fmt.Errorf("conffiles: the last line has no line feed")
	}
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		mark := markNewConff
		name := strings.TrimRight(line, " \t\r\v\f")
		if name == "" && line != "" {
			continue
		}
		if after, ok := strings.CutPrefix(name, "remove-on-upgrade "); ok {
			mark, name = markRmConff, after
		}
		if !strings.HasPrefix(name, "/") {
			return fmt.Errorf("conffiles:%d: %.60q is not an absolute path", n+1, line)
		}
		f := u.db.file(name)
		u.db.setOldHash(f, hashNew)
		var found *conffile
		for _, other := range slices.Backward(f.owners) {
			if found = other.conffile(f.name); found != nil && other == u.p {
				break
			}
		}
		if found != nil {
			f.oldHash = found.hash
		}
		u.db.mark(f, mark)
		u.conffiles = append(u.conffiles, f)
	}
	return nil
}

// conffile returns a conffile of a package by its name; nil if it has none.
func (p *pkg) conffile(name string) *conffile {
	for n := range p.installed.conffiles {
		if p.installed.conffiles[n].name == name {
			return &p.installed.conffiles[n]
		}
	}
	return nil
}

// markOldConffiles marks the conffiles of a package, so that they stay.
func (db *database) markOldConffiles(p *pkg) {
	for _, c := range p.installed.conffiles {
		f := db.file(c.name)
		db.mark(f, markOldConff)
		if f.oldHash == "" {
			f.oldHash = c.hash
		}
	}
}

// dereference returns where a conffile is: the file that links lead to, which may not exist. It
// reports false for what is neither.
func (db *database) dereference(name string) (at string, ok bool, err error) {
	const maxLinks = 25
	for range maxLinks {
		at, n, err := db.place(name)
		switch {
		case err != nil:
			return "", false, err
		case n == nil || n.Kind == layer.Regular:
			return at, true, nil
		case n.Kind != layer.Symlink:
			return "", false, nil
		}
		if name = n.Link; !path.IsAbs(name) {
			name = path.Dir(at) + "/" + name
		}
	}
	return "", false, nil
}

// configureConffiles puts the new versions of conffiles into their places.
func (r *run) configureConffiles(p *pkg) error {
	for n := range p.installed.conffiles {
		c := &p.installed.conffiles[n]
		if c.obsolete || c.removeOnUpgrade {
			continue
		}
		if err := r.configureConffile(p, c); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) configureConffile(p *pkg, c *conffile) error {
	use := r.db.file(c.name).use(p)
	at, ok, err := r.db.dereference(use.name)
	if err != nil {
		return err
	}
	if !ok {
		c.hash = hashEmpty
		return nil
	}
	fresh := at + newSuffix
	n, err := r.db.t.Lstat(fresh)
	if err != nil {
		return err
	}
	if n == nil {
		return r.ghostConffile(p, c)
	}
	current, err := r.db.hashAt(at)
	if err != nil {
		return err
	}
	hash, err := r.db.hashAt(fresh)
	if err != nil {
		return err
	}
	if old, err := r.db.t.Lstat(at); err != nil {
		return err
	} else if old != nil {
		k := *n
		k.Mode, k.UID, k.GID = old.Mode, old.UID, old.GID
		if err := r.db.t.Set(fresh, &k); err != nil {
			return err
		}
	}
	what, err := r.decide(c, current, hash)
	if err != nil {
		return err
	}
	if err := r.putConffile(p, use, at, what, current == hashMissing); err != nil {
		return err
	}
	c.hash = hash
	return r.db.note(p)
}

// ghostConffile is for a conffile whose new version another architecture of the package has put
// into its place.
func (r *run) ghostConffile(p *pkg, c *conffile) error {
	for _, other := range p.set.pkgs {
		if other == p || other.state <= halfConfigured {
			continue
		}
		if o := other.conffile(c.name); o != nil && !o.obsolete && !o.removeOnUpgrade {
			c.hash = o.hash
			return r.db.note(p)
		}
	}
	return nil
}

// decision is what happens to a conffile.
type decision uint8

const (
	keepOld      decision = iota // and forget the new version
	installNew                   // in the place of the old one
	keepAsked                    // the new version stays as .dpkg-dist
	installAsked                 // the old version stays as .dpkg-old
)

// decide chooses between the version of a conffile in the tree and the new one. Where dpkg asks,
// the options answer.
func (r *run) decide(c *conffile, current, fresh string) (decision, error) {
	o := r.options.forced
	missing, isNew := current == hashMissing, c.hash == hashNew
	edited, changed := c.hash != current, c.hash != fresh
	switch {
	case current == fresh:
		return keepOld, nil
	case missing && (isNew || o["confmiss"]):
		return installNew, nil
	case isNew:
		edited, changed = true, true
	}
	ask := edited && (changed || o["confask"])
	switch {
	case !ask && !edited && changed:
		return installNew, nil
	case !ask:
		return keepOld, nil
	case o["confdef"]:
		return keepAsked, nil // that is the default
	case o["confnew"]:
		return installAsked, nil
	case o["confold"]:
		return keepAsked, nil
	}
	return 0, fmt.Errorf("the conffile %s was changed, and the package has another version of it, so that dpkg asks: "+
		"use -o Dpkg::Options::=--force-confold to keep it, or --force-confnew to replace it", c.name)
}

// putConffile carries out a decision.
func (r *run) putConffile(p *pkg, use *file, at string, what decision, deleted bool) error {
	fresh := at + newSuffix
	switch what {
	case keepOld:
		return r.db.remove(fresh)
	case keepAsked:
		if err := r.db.remove(at + ".dpkg-old"); err != nil {
			return err
		}
		if err := r.touchedPath(use, p); err != nil {
			return err
		}
		return r.db.rename(fresh, at+".dpkg-dist")
	case installAsked:
		for _, suffix := range []string{".dpkg-dist", ".dpkg-old"} {
			if err := r.db.remove(at + suffix); err != nil {
				return err
			}
		}
		if !deleted {
			n, err := r.db.t.Lstat(at)
			if err != nil {
				return err
			}
			if err := r.db.t.Set(at+".dpkg-old", n); err != nil {
				return err
			}
		}
	}
	if err := r.touchedPath(use, p); err != nil {
		return err
	}
	return r.db.rename(fresh, at)
}
