// Package dpkg installs, upgrades, removes and purges Debian packages in a tree, as dpkg 1.21 does
// it under apt-get, without running a program.
//
// It follows dpkg step by step. [Install] orders the changes as apt does, and carries out each
// call of dpkg that apt would make: it reads /var/lib/dpkg, unpacks, configures, processes
// triggers and removes in dpkg's order, and writes the database in dpkg's form. What only matters
// to a program that may be interrupted is left out: backups of files, the journal in updates,
// error states. Any error ends the whole, and the tree is then of no use.
//
// Maintainer scripts are called with the arguments that dpkg gives them. A function that the
// caller passes carries them out.
package dpkg

import (
	"context"
	"fmt"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/dpkg/deb"
	"github.com/slipway-dev/slipway/build/packages/maintainer"
)

// Transaction is what is to be done to a tree.
type Transaction struct {
	// Architecture is the native one of the tree: amd64, arm64, armhf, ppc64el, s390x.
	Architecture string
	// Changes are in any order for apt, which orders them, and in the order of the command line
	// for dpkg.
	Changes []Change
	// Auto are the packages that are marked as installed automatically, by name and architecture,
	// among all that are installed afterwards. Nil leaves the marks as they are.
	Auto []AutoInstalled
	// Dpkg carries out the changes as a single call of dpkg -i, -r or -P.
	Dpkg bool
	// Script carries out maintainer scripts.
	Script Run
	// Archives keep the files of packages, unpacked, in a store.
	Archives *tree.Archives
	// Options are those of the command line: --force-confold.
	Options []string
}

// Change is the change of one package.
type Change struct {
	Deb   *deb.Deb // the version that is installed; nil for a removal
	Name  string   // of a package that is removed: curl, or libc6:amd64
	Purge bool     // with its configuration
	// Priority is that of the index, by which apt orders packages; empty for that of the package.
	Priority string
}

// AutoInstalled is a package that is there because others need it.
type AutoInstalled struct{ Name, Architecture string }

// Report is what was done.
type Report struct {
	Calls    []string            // of dpkg, by apt
	Unpacked []string            // packages in the order of unpacking
	SetUp    []string            // in the order of their configuration
	Removed  []string            // in the order of their removal
	Scripts  []maintainer.Script // that were called
}

// installer carries out a transaction.
type installer struct {
	t       *tree.Tree
	tx      Transaction
	options *options
	report  *Report
}

// Install carries out a transaction on a tree.
func Install(ctx context.Context, t *tree.Tree, tx Transaction) (*Report, error) {
	o, err := readOptions(t, tx.Options)
	if err != nil {
		return nil, err
	}
	in := &installer{t: t, tx: tx, options: o, report: &Report{}}
	if tx.Dpkg {
		err = in.direct(ctx)
	} else {
		err = in.apt(ctx)
	}
	if err != nil {
		return nil, err
	}
	return in.report, nil
}

// direct carries out the changes in one call of dpkg.
func (in *installer) direct(ctx context.Context) error {
	var debs []*deb.Deb
	var names []string
	purge := false
	for _, c := range in.tx.Changes {
		if c.Deb != nil {
			debs = append(debs, c.Deb)
			continue
		}
		names = append(names, c.Name)
		purge = c.Purge
	}
	switch {
	case len(debs) > 0 && len(names) > 0:
		return fmt.Errorf("dpkg installs or removes packages, and not both at once")
	case len(debs) > 0:
		return in.unpack(ctx, actInstall, debs)
	case purge:
		return in.remove(ctx, actPurge, names)
	default:
		return in.remove(ctx, actRemove, names)
	}
}
