package dpkg

import (
	"slices"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// removeOld removes files that only the old version of the package has. Its conffiles stay, as
// obsolete ones.
func (u *unpacking) removeOld() error {
	for _, f := range u.conffiles {
		if f.marks&markRmConff != 0 {
			if err := u.removeOnUpgrade(f); err != nil {
				return err
			}
		}
	}
	var places map[string]*file
	for _, f := range slices.Backward(slices.Clone(u.p.files)) {
		if f.marks&(markNewConff|markRmConff|markInArchive) != 0 {
			continue
		}
		use := f.use(u.p)
		_, to, err := tree.Resolve(u.db.t, use.name)
		if err != nil {
			return err
		}
		if to != nil && to.Kind == layer.Dir && f.usedByOthers(u.p) {
			continue
		}
		at, n, err := u.db.place(use.name)
		if err != nil {
			return err
		}
		if n == nil {
			continue
		}
		if n.Kind == layer.Dir {
			err = u.removeOldDirectory(use, at)
		} else {
			if places == nil {
				if places, err = u.places(); err != nil {
					return err
				}
			}
			err = u.removeOldFile(f, use, at, places[at])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// places maps where the new files are to the files, since a path of the old version may lead
// there too.
func (u *unpacking) places() (map[string]*file, error) {
	places := map[string]*file{}
	for _, f := range u.files {
		if f.marks&markFiltered != 0 {
			continue
		}
		at, n, err := u.db.place(f.name)
		if err != nil {
			return nil, err
		}
		if n != nil {
			places[at] = f
		}
	}
	return places, nil
}

func (u *unpacking) removeOldDirectory(use *file, at string) error {
	if err := u.touchedPath(use, u.p); err != nil || use.name == "/." {
		return err
	}
	names, err := u.db.t.ReadDir(at)
	if err != nil || len(names) > 0 {
		return err
	}
	return u.db.t.Erase(at)
}

// removeOldFile removes a file of the old version at a place where the new one may have another.
func (u *unpacking) removeOldFile(f, use *file, at string, now *file) error {
	switch {
	case f.marks&markOldConff != 0 && now != nil:
		if now.marks&markNewConff != 0 && now.oldHash == hashNew {
			now.oldHash = f.oldHash
		}
		return nil
	case f.marks&markOldConff != 0:
		u.db.mark(f, markObsConff)
		u.conffiles = append(u.conffiles, f)
		u.files = append(u.files, f)
		return nil
	case now != nil:
		return nil
	}
	if err := u.touchedPath(use, u.p); err != nil {
		return err
	}
	return u.db.t.Erase(at)
}

// removeOnUpgrade removes a conffile that the new package no longer wants. One that was changed
// stays under another name.
func (u *unpacking) removeOnUpgrade(f *file) error {
	at, ok, err := u.db.dereference(f.use(u.p).name)
	if err != nil {
		return err
	}
	if !ok {
		f.oldHash = hashEmpty
		return nil
	}
	if f.usedByOthers(u.p) {
		return nil
	}
	if err := u.db.remove(at + ".dpkg-dist"); err != nil {
		return err
	}
	switch hash, err := u.db.hashAt(at); {
	case err != nil || hash == hashMissing:
		return err
	case hash == f.oldHash:
		return u.db.remove(at)
	}
	return u.db.rename(at, at+".dpkg-old")
}
