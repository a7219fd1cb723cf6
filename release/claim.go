package release

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/product"
)

// Claim makes a directory ready for files of these names of a product, as CheckOut checks: the
// journal gets the names, with those of existing files, and the checksums are removed, since a
// directory with SHA256SUMS is a complete release. Callers claim right before they make or replace
// the first of these files, and call [Settle] after the last.
func Claim(dir, product string, names []string) error {
	had, err := mayWrite(dir, product, names)
	if err != nil {
		return err
	}
	if err := writeJournal(dir, product, append(had.names, names...)); err != nil {
		return err
	}
	for _, name := range checksums { // the signatures first
		if err := remove(dir, name); err != nil {
			return fmt.Errorf("removing the %s of the previous release: %w", name, err)
		}
	}
	return nil
}

// Settle leaves only existing files in the journal that neither the lock nor the part of the
// directory names.
func Settle(dir, product string) error {
	_, names, err := ofJournal(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, read := range []func(string) (string, []string, error){ofLock, ofPart} {
		_, named, err := read(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(named, n) })
	}
	return writeJournal(dir, product, present(dir, names))
}

// writeJournal writes the names of files, without those that identify themselves. A journal without
// names is removed.
func writeJournal(dir, product string, names []string) error {
	names = indexed(names)
	if len(names) == 0 {
		return remove(dir, distfile.Journal)
	}
	slices.Sort(names)
	return stagefile.Files.Write(filepath.Join(dir, distfile.Journal),
		&journal{FilesVersion: stagefile.Files.Version, Name: product, Files: slices.Compact(names)})
}

// Supersede removes from dir the files by which commands pass on a release, except those named
// in keep: the removed files describe an older state.
func Supersede(dir string, keep ...string) error {
	for _, name := range indexes {
		if name == distfile.Journal || slices.Contains(keep, name) {
			continue
		}
		if err := remove(dir, name); err != nil {
			return fmt.Errorf("removing an older %s: %w", name, err)
		}
	}
	return nil
}

// Sweep removes the files of a directory that are slipway's and not in names: those of an earlier
// release of the product. Otherwise, a copy of the directory would include a bundle for a platform
// that was dropped. A delta stays if it makes one of the bundles.
func Sweep(dir string, names []string, bundles []bundle.File, pr *progress.Printer) error {
	had, err := own(dir)
	if err != nil {
		return err
	}
	for _, name := range had.names {
		if name == distfile.Journal || slices.Contains(names, name) {
			continue
		}
		if stays, err := current(dir, name, bundles); err != nil {
			return fmt.Errorf("reading what an earlier release left: %w", err)
		} else if stays {
			continue
		}
		if err := remove(dir, name); err != nil {
			return fmt.Errorf("removing what an earlier release left: %w", err)
		}
		pr.Printf("removed %s, which an earlier release left", filepath.Join(dir, name))
	}
	return remove(dir, distfile.Journal)
}

// current reports whether a file is a delta that makes one of the bundles. An error means that the
// file could not be read, so that its contents are unknown.
func current(dir, name string, bundles []bundle.File) (bool, error) {
	if filepath.Ext(name) != bundle.DeltaSuffix {
		return false, nil
	}
	has, err := bundle.Inspect(filepath.Join(dir, name))
	switch {
	case errors.As(err, new(*bundle.FormatError)) || errors.As(err, new(*bundle.DamageError)):
		return false, nil
	case err != nil:
		return false, err
	}
	return has.Delta != nil && slices.ContainsFunc(bundles, func(f bundle.File) bool {
		return filepath.Base(f.Path) == has.Delta.Bundle && f.SHA256 == has.Delta.SHA256
	}), nil
}

// remove removes a file, which may be gone.
func remove(dir, name string) error {
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// plannedFiles returns the names of the files of p, as far as they are known before it is made.
func plannedFiles(p *product.Product) []string {
	if len(p.Selected) > 0 {
		return distfile.PartNames(p.ArtifactNames())
	}
	return p.DistFiles().Names()
}
