package dpkg

import (
	"crypto/md5" //nolint:gosec // what dpkg writes
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// updateInfo puts the new package's files into info, and removes those of the old one.
func (u *unpacking) updateInfo() error {
	p := u.p
	old, err := tree.ReadText(u.db.t, infoPath(p, &p.installed, "triggers"))
	if err != nil {
		return err
	}
	if err := u.db.changeInterests(p, &p.installed, old, false); err != nil {
		return err
	}
	if err := u.db.changeInterests(p, &p.available, u.d.Text("triggers"), true); err != nil {
		return err
	}
	if err := u.db.saveInterests(); err != nil {
		return err
	}
	there, err := u.db.infoFiles(p, &p.available)
	if err != nil {
		return err
	}
	for _, kind := range there {
		if kind == "list" || u.d.Script(kind) != nil {
			continue
		}
		if err := u.db.remove(infoPath(p, &p.available, kind)); err != nil {
			return err
		}
	}
	for n := range u.d.Info {
		i := &u.d.Info[n]
		if i.Name == "control" || i.Name == "list" || strings.Contains(i.Name, ".") {
			continue
		}
		if err := u.installInfo(infoPath(p, &p.available, i.Name), i); err != nil {
			return err
		}
	}
	if sameLabel(p, &p.installed) != sameLabel(p, &p.available) {
		if err := u.db.removeInfo(p, &p.installed, nil); err != nil {
			return err
		}
	}
	return u.writeHashes()
}

// removeInfo removes the files about a package from info, but for some.
func (db *database) removeInfo(p *pkg, b *binary, except []string) error {
	kinds, err := db.infoFiles(p, b)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		if slices.Contains(except, kind) {
			continue
		}
		if err := db.remove(infoPath(p, b, kind)); err != nil {
			return err
		}
	}
	return nil
}

// writeHashes writes md5sums for a package that comes without.
func (u *unpacking) writeHashes() error {
	has, err := u.db.hasInfo(u.p, &u.p.available, "md5sums")
	if err != nil || has {
		return err
	}
	var text strings.Builder
	for _, f := range u.files {
		if f.node == nil {
			continue
		}
		sum, err := md5Of(f.node)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		text.WriteString(sum + "  " + f.name[1:] + "\n")
	}
	return u.db.write(infoPath(u.p, &u.p.available, "md5sums"), text.String())
}

// md5Of returns the MD5 of a regular file, which dpkg records of conffiles.
func md5Of(n *tree.Node) (string, error) {
	if n.Odd != "" {
		return "", fmt.Errorf("it is %s, and its content cannot be read", n.Odd)
	}
	r, err := n.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	sum := md5.New() //nolint:gosec // as above
	if _, err := io.Copy(sum, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// hashAt returns the MD5 of the file at a path, or what dpkg has in its place.
func (db *database) hashAt(at string) (string, error) {
	_, n, err := tree.Resolve(db.t, at)
	switch {
	case err != nil:
		return "", err
	case n == nil:
		return hashMissing, nil
	case n.Kind != layer.Regular:
		return hashEmpty, nil
	}
	sum, err := md5Of(n)
	if err != nil {
		return "", fmt.Errorf("%s: %w", at, err)
	}
	return sum, nil
}

// eraseAll removes what is at a path, with everything in it.
func (db *database) eraseAll(at string) error {
	n, err := db.t.Lstat(at)
	if err != nil || n == nil {
		return err
	}
	return db.t.Erase(at)
}

// rename moves a file that is not a directory within its directory.
func (db *database) rename(from, to string) error {
	n, err := db.t.Lstat(from)
	if err != nil {
		return err
	}
	if n == nil || path.Dir(from) != path.Dir(to) {
		return fmt.Errorf("%s cannot become %s", from, to)
	}
	if err := db.t.Set(to, n); err != nil {
		return err
	}
	return db.t.Erase(from)
}
