package apt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Manager carries out the commands of apt and dpkg for the stages of one image, or makes bases.
type Manager struct {
	// Image is its name in slipway.yaml, by which packages.lock.yaml has it; empty for bases.
	Image string
	// Locked are the entries of packages.lock.yaml.
	Locked []product.LockedPackages
	// Pin decides anew what Locked does not have, and reports it; nil takes Locked alone.
	Pin *Pin
	// Packages is what slipway.yaml says of packages.
	Packages product.Packages
	Store    *store.Store
	// Client fetches indexes and packages. It is not asked in a snapshot.
	Client   *network.Client
	Snapshot bool
}

var _ packages.Manager = (*Manager)(nil)

// handler is what carries out a command.
type handler struct {
	check func(args []string) error
	run   func(m *Manager, ctx context.Context, c packages.Call) error
}

// handlers are the commands, by name. Those without functions only print.
func handlers() map[string]handler {
	return map[string]handler{
		"apt-get":       {checkApt, (*Manager).apt},
		"apt":           {checkApt, (*Manager).apt},
		"apt-mark":      {checkMark, (*Manager).mark},
		"apt-cache":     {nil, nil},
		"clean-install": {checkCleanInstall, (*Manager).cleanInstall},
		"dpkg":          {checkDpkg, (*Manager).dpkg},
		"dpkg-deb":      {checkDpkg, (*Manager).dpkg},
		"dpkg-query":    {nil, nil},

		"debconf-set-selections": {checkSelections, (*Manager).selections},
	}
}

// Check reports what is wrong with a command, as far as its words tell.
func (m *Manager) Check(args []string) error {
	h, ok := handlers()[args[0]]
	if !ok {
		return fmt.Errorf("%s is not carried out here: apt-get and dpkg -i are", args[0])
	}
	if h.check == nil {
		return nil
	}
	return h.check(args)
}

// Run carries out a command.
func (m *Manager) Run(ctx context.Context, c packages.Call) error {
	if err := m.Check(c.Args); err != nil {
		return err
	}
	if h := handlers()[c.Args[0]]; h.run != nil {
		return h.run(m, ctx, c)
	}
	return nil
}

func checkApt(args []string) error {
	_, err := read(args)
	return err
}

// apt is apt-get or apt.
func (m *Manager) apt(ctx context.Context, c packages.Call) error {
	o, err := read(c.Args)
	if err != nil {
		return err
	}
	return m.operate(ctx, c, o)
}

// operate carries out an operation of apt.
func (m *Manager) operate(ctx context.Context, c packages.Call, o operation) error {
	switch {
	case c.Unknown && o.resolves():
		_, err := m.locked(c, o, "")
		if err == nil {
			err = packages.Later(errors.New("the base is not at hand"))
		}
		return err
	case c.Unknown:
		return nil
	case o.verb == install && len(o.names) == 0:
		return nil // as apt: it only mends what is broken
	case o.resolves():
		return m.transact(ctx, c, o)
	case o.verb == clean:
		return cleaned(c.Tree)
	}
	return nil
}

func checkCleanInstall(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("%s names no package", args[0])
	}
	if n := slices.IndexFunc(args[1:], func(w string) bool { return len(w) > 0 && w[0] == '-' }); n >= 0 {
		return fmt.Errorf("%s has no option such as %s", args[0], args[1+n])
	}
	return nil
}

// cleanInstall is the script of that name in Kubernetes' debian-base: it installs packages, and
// removes what that leaves besides.
func (m *Manager) cleanInstall(ctx context.Context, c packages.Call) error {
	o := operation{verb: install, names: c.Args[1:], set: []string{"--no-install-recommends"}}
	if err := m.operate(ctx, c, o); err != nil {
		return err
	}
	if c.Unknown {
		return nil
	}
	if err := cleaned(c.Tree); err != nil {
		return err
	}
	return emptied(c.Tree, "/var/cache/debconf", "/var/lib/apt/lists", "/var/log", "/tmp", "/var/tmp")
}
