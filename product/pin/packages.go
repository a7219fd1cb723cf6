package pin

import (
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/product"
)

// PackageChange is a package that a stage gets in another version than packages.lock.yaml has, or
// gets or loses; or one of a base.
type PackageChange struct {
	Base     string `json:"base,omitempty"` // empty for a stage
	Image    string `json:"image"`
	Stage    string `json:"stage"`
	Platform string `json:"platform"`
	Package  string `json:"package"`
	Arch     string `json:"arch"`
	From     string `json:"from"` // empty for one that is new
	To       string `json:"to"`   // empty for one that goes
	Why      string `json:"why"`
}

// Why a package changes.
const (
	NotLocked     = "not locked"
	OtherVersion  = "other version"
	NotNeeded     = "not needed"
	OtherArchive  = "other file of the same version"
	OtherCommands = "other commands, base or repositories"
)

// AddPackages adds what packages.lock.yaml becomes to what changes.
func (r *Result) AddPackages(p *product.Product, list []product.LockedPackages) error {
	r.Packages = packageChanges(p.LockedPackages, list)
	if len(r.Packages) == 0 {
		return nil
	}
	b, err := product.EncodePackages(list)
	r.contents = append(r.contents,
		disk.Content{Path: filepath.Join(filepath.Dir(p.Path), product.PackagesLock), Data: b})
	return err
}

// placed identifies a package of a stage, or of a base as [product.LockedPackages] has it.
type placed struct{ image, stage, platform, name, arch string }

func (p placed) change(from, to, why string) PackageChange {
	c := PackageChange{"", p.image, p.stage, p.platform, p.name, p.arch, from, to, why}
	if c.Image == "" {
		c.Base, c.Stage = c.Stage, ""
	}
	return c
}

// packageChanges compares two locks.
func packageChanges(old, now []product.LockedPackages) []PackageChange {
	before, after := finally(old), finally(now)
	var order []placed
	for _, list := range [][]product.LockedPackages{now, old} {
		for _, e := range list {
			for _, p := range e.Packages {
				if at := (placed{e.Image, e.Stage, e.Platform.String(), p.Name, p.Arch}); !slices.Contains(order, at) {
					order = append(order, at)
				}
			}
		}
	}
	var all []PackageChange
	for _, at := range order {
		was, is := before[at], after[at]
		if was.Version == is.Version && was.SHA256 == is.SHA256 && was.Action == is.Action {
			continue
		}
		c := at.change(was.Version, is.Version, OtherVersion)
		switch {
		case was.Version == "":
			c.Why = NotLocked
		case is.Version == "":
			c.Why = NotNeeded
		case was.Version == is.Version:
			c.Why = OtherArchive
		}
		all = append(all, c)
	}
	if len(all) == 0 && !same(old, now) {
		for _, e := range slices.Concat(now, old) {
			return []PackageChange{placed{e.Image, e.Stage, e.Platform.String(), "", ""}.change("", "", OtherCommands)}
		}
	}
	return all
}

// finally returns what the commands of each stage leave of packages that they change.
func finally(list []product.LockedPackages) map[placed]product.LockedPackage {
	all := map[placed]product.LockedPackage{}
	for _, e := range list {
		for _, p := range e.Packages {
			all[placed{e.Image, e.Stage, e.Platform.String(), p.Name, p.Arch}] = p
		}
	}
	return all
}

// same reports whether two locks are equal but for their places in the file. That a repository has
// a newer index with the same packages changes nothing: it has one every day.
func same(a, b []product.LockedPackages) bool {
	return slices.EqualFunc(a, b, func(x, y product.LockedPackages) bool {
		x.Pos, x.Packages, y.Packages = y.Pos, timeless(x.Packages), timeless(y.Packages)
		return reflect.DeepEqual(x, y)
	})
}

// timeless returns packages without what identifies the index that they were chosen from.
func timeless(list []product.LockedPackage) []product.LockedPackage {
	list = slices.Clone(list)
	for n := range list {
		list[n].Repository.Date, list[n].Repository.SHA256 = time.Time{}, ""
	}
	return list
}
