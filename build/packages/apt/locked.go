package apt

import (
	"fmt"

	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// locked returns what packages.lock.yaml has for an operation on the packages that are installed
// before it, which on identifies.
func (m *Manager) locked(c packages.Call, o operation, on string) (product.LockedPackages, error) {
	var other *product.LockedPackages // of another base
	stage := false
	for n := range m.Locked {
		e := &m.Locked[n]
		if e.Image != m.Image || e.Stage != c.Stage || !platform.Same(e.Platform, c.Platform) {
			continue
		}
		stage = true
		switch {
		case e.Command != o.String():
		case e.Installed == on, c.Unknown:
			return *e, nil
		default:
			other = e
		}
	}
	where := "stage " + c.Stage
	if m.Image == "" {
		where = "base " + c.Stage
	}
	switch {
	case other != nil:
		return product.LockedPackages{}, packages.Absent(fmt.Errorf(
			"%s has the packages of %q for another base, or for other commands before it: run %s",
			product.PackagesLock, o, howto.Run("pin")))
	case stage:
		return product.LockedPackages{}, packages.Absent(fmt.Errorf(
			"%s has other packages for %s on %s than %q: run %s", product.PackagesLock, where, c.Platform,
			o, howto.Run("pin")))
	}
	return product.LockedPackages{}, packages.Absent(fmt.Errorf(
		"%s has no packages for %s on %s: run %s, which asks the repositories once and writes them",
		product.PackagesLock, where, c.Platform, howto.Run("pin")))
}
