package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/build/built"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
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

// stage returns the RunE of a command that runs a single stage. It reads the product, locks
// the store and the output directory, and removes the checksums, which the stage outdates.
func (f *flags) stage(run func(*cobra.Command, stage) error) func(*cobra.Command, []string) error {
	return f.withStore(func(cmd *cobra.Command, s stage) error {
		if _, err := release.InvalidateSums(f.out); err != nil {
			return err
		}
		return run(cmd, s)
	})
}

// withStore is like stage for commands that change no file that has a checksum.
func (f *flags) withStore(run func(*cobra.Command, stage) error) func(*cobra.Command, []string) error {
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
		return st.Mend(cmd.Context(), pr, func() error { return run(cmd, stage{f, p, st, pr}) })
	}
}

// built reads the result of build.
func (s stage) built() (*built.Result, error) {
	r, err := built.Read(s.path(stagefile.Build.Name))
	if err != nil {
		return nil, s.missing(err, stagefile.Build.Name, "build")
	}
	return r, s.same(stagefile.Build.Name, r.Name, r.Version, "build")
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
	return l, s.same(lock.Name, l.Name, l.Version, "publish")
}

// packable reads the result of publish: the full lock or a partial one.
func (s stage) packable() (l *lock.Lock, partial bool, err error) {
	p, err := lock.ReadPart(s.path(lock.PartName))
	if errors.Is(err, fs.ErrNotExist) {
		l, err = s.published()
		return l, false, err
	}
	if err != nil {
		return nil, false, err
	}
	if err := s.same(lock.PartName, p.Name, p.Version, "publish"); err != nil {
		return nil, false, err
	}
	l, err = p.Local()
	return l, true, err
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

// same reports a file of another product or version.
func (s stage) same(file, name, version, before string) error {
	if name != s.product.Name || version != s.product.Version {
		other := ""
		if name == s.product.Name {
			other = ", or give -version=" + version
		}
		return fmt.Errorf("%s is of %s %s, not of %s: run %s first%s", s.path(file), name, version, s.product.Title(), howto.Run(before), other)
	}
	return nil
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
	s.progress.Close()
	if s.flags.json {
		return writeJSON(cmd.OutOrStdout(), v)
	}
	return list.WriteTable(cmd.OutOrStdout())
}
