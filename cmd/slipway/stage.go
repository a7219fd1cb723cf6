package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/store"
)

// stage is what a command that runs one stage alone works with.
type stage struct {
	flags    *flags
	product  *product.Product
	store    *store.Store
	progress *progress.Printer
}

// stage returns the RunE of a command that runs one stage alone: product read, store and output
// directory held, its checksums outdated.
func (f *flags) stage(run func(*cobra.Command, stage) error) func(*cobra.Command, []string) error {
	return f.beside(func(cmd *cobra.Command, s stage) error {
		if err := s.outdate(); err != nil {
			return err
		}
		return run(cmd, s)
	})
}

// outdate takes the checksums of the release away, since a stage that runs alone changes what
// they are of: a directory with SHA256SUMS is a complete release.
func (s stage) outdate() error {
	if err := os.Remove(filepath.Join(s.flags.out, release.SumsName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing outdated checksums: %w", err)
	}
	return nil
}

// beside is stage for what changes nothing that the checksums are of.
func (f *flags) beside(run func(*cobra.Command, stage) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		p, err := f.load()
		if err != nil {
			return err
		}
		pr := f.printer(cmd)
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

// lock reads what an earlier stage wrote; before names that stage for the message.
func (s stage) lock(before string) (*lock.Lock, error) {
	path := filepath.Join(s.flags.out, lock.Name)
	l, err := lock.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is missing: run %s first", path, howto.Run(before))
	case err != nil:
		return nil, err
	case l.Name != s.product.Name || l.Version != s.product.Version:
		return nil, fmt.Errorf("%s is of %s %s, not of %s %s: run %s first", path, l.Name, l.Version, s.product.Name, s.product.Version, howto.Run(before))
	}
	return l, nil
}

// published reads the lock that publish wrote.
func (s stage) published() (*lock.Lock, error) {
	l, err := s.lock("publish")
	if err == nil && l.Registry == "" {
		return nil, fmt.Errorf("%s has no repositories yet: run %s first", filepath.Join(s.flags.out, lock.Name), howto.Run("publish"))
	}
	return l, err
}

// write writes the lock and prints its images.
func (s stage) write(cmd *cobra.Command, l *lock.Lock) error {
	if err := l.Write(filepath.Join(s.flags.out, lock.Name)); err != nil {
		return err
	}
	s.progress.Close()
	return s.flags.show(cmd, images{l})
}
