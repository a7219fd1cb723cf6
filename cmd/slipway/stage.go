package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/build/built"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/store"
)

// stage is the input of a command that runs a single stage.
type stage struct {
	flags    *flags
	product  *product.Product
	store    *store.Store
	progress *progress.Printer
}

// stage returns the RunE of a command that runs a single stage. It reads the product, and locks the
// store and the output directory, which must not have a release of another product.
func (f *flags) stage(run func(*cobra.Command, stage) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		p, pr, err := f.begin(cmd)
		if err != nil {
			return err
		}
		defer pr.Close()
		st, leave, err := f.open(cmd.Context(), pr)
		if err != nil {
			return err
		}
		defer leave()
		unlock, err := release.Hold(cmd.Context(), f.out, pr)
		if err != nil {
			return err
		}
		defer unlock()
		if err := release.CheckOut(f.out, p.Name, nil); err != nil {
			return err
		}
		return st.Mend(cmd.Context(), pr, func() error { return run(cmd, stage{f, p, st, pr}) })
	}
}

// built reads the result of build.
func (s stage) built() (*built.Result, error) {
	r, err := built.Read(s.path(stagefile.Build.Name))
	if err != nil {
		return nil, s.missing(err, stagefile.Build.Name, "build")
	}
	if r.Name != s.product.Name || r.Version != s.product.Version {
		return nil, s.same(stagefile.Build.Name, released{name: r.Name, version: r.Version}, "build")
	}
	return r, nil
}

// published reads the lock of publish.
func (s stage) published() (*lock.Lock, error) {
	l, err := lock.Read(s.path(lock.Name))
	if errors.Is(err, fs.ErrNotExist) {
		if p, err := lock.ReadPart(s.path(lock.PartName)); err == nil {
			return nil, fmt.Errorf("%s is for %v only: publish all of it, or join all parts with %s", s.path(lock.PartName), p.Selected, howto.Run("merge"))
		}
	}
	if err != nil {
		return nil, s.missing(err, lock.Name, "publish")
	}
	return l, s.same(lock.Name, released{l.Name, l.Version, l.Channel, l.Registries(), l.Snapshot}, "publish")
}

// packable reads the result of publish: the full lock or, where there is none, a partial one.
func (s stage) packable() (l *lock.Lock, partial bool, err error) {
	p, err := lock.ReadPart(s.path(lock.PartName))
	if errors.Is(err, fs.ErrNotExist) || exists(s.path(lock.Name)) {
		l, err = s.published()
		return l, false, err
	}
	if err != nil {
		return nil, false, err
	}
	if l, err = p.Local(); err != nil {
		return nil, false, err
	}
	return l, true, s.same(lock.PartName, released{p.Name, p.Version, p.Channel, l.Registries(), p.Snapshot}, "publish")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// path returns the path of a file in the output directory.
func (s stage) path(name string) string { return filepath.Join(s.flags.out, name) }

// missing adds the command that writes a file to an error that the file does not exist.
func (s stage) missing(err error, name, before string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing: run %s first", s.path(name), howto.Run(before))
	}
	return err
}

// released is what a file of a release and the flags of a command must agree on.
type released struct {
	name, version, channel string
	registries             []string
	snapshot               bool
}

// same reports a file of another product or version, or of another channel or for other registries
// than those that were asked for. Without that, a release is as its file has it.
func (s stage) same(file string, of released, before string) error {
	p := s.product
	switch want := publish.Registries(p); {
	case of.name != p.Name || of.version != p.Version:
		other := ""
		if of.name == p.Name {
			other = ", or give -version=" + of.version
		}
		return fmt.Errorf("%s is of %s %s, not of %s: run %s first%s", s.path(file), of.name, of.version, p.Title(), howto.Run(before), other)
	case s.flags.channel != "" && of.channel != p.Channel:
		return fmt.Errorf("%s is of channel %q, not of %s: run %s first, or leave out -channel", s.path(file), of.channel, p.Channel, howto.Run(before+" -channel="+p.Channel))
	case !p.Snapshot() && !slices.Equal(of.registries, want):
		return fmt.Errorf("%s is for %s, not for %s: run %s first, or leave out -registry (and SLIPWAY_REGISTRY)", s.path(file), strings.Join(of.registries, ", "), strings.Join(want, ", "), howto.Run(before+" -registry="+strings.Join(want, ",")))
	}
	return nil
}

// claim makes the output directory ready for files of these names.
func (s stage) claim(names ...string) error {
	return release.Claim(s.flags.out, s.product.Name, names)
}

// write writes a stage's result and prints the images. It removes the results of later
// stages and of earlier runs, except for the files to keep.
func (s stage) write(cmd *cobra.Command, v interface{ Write(path string) error }, name string, list images, keep ...string) error {
	if err := v.Write(s.path(name)); err != nil {
		return err
	}
	if err := release.Supersede(s.flags.out, append(keep, name)...); err != nil {
		return err
	}
	if err := release.Settle(s.flags.out, s.product.Name); err != nil {
		return err
	}
	s.progress.Close()
	if s.flags.json {
		return writeJSON(cmd.OutOrStdout(), v)
	}
	return list.WriteTable(cmd.OutOrStdout())
}
