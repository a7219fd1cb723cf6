package release

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/stagefile"
)

// InvalidateSums removes SHA256SUMS and its signatures from dir and returns the names that it
// listed. Call it before changing a file of a release, because a directory with SHA256SUMS is a
// complete release.
func InvalidateSums(dir string) (listed []string, err error) {
	for _, name := range []string{evidence.SumsBundle, evidence.SumsSignature} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("removing the %s of the previous release: %w", name, err)
		}
	}
	path := filepath.Join(dir, evidence.SumsName)
	text, err := regular.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", evidence.SumsName, err)
	}
	for line := range strings.Lines(string(text)) {
		if _, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  "); ok && filepath.IsLocal(filepath.FromSlash(name)) {
			listed = append(listed, name)
		}
	}
	if err := os.Remove(path); err != nil {
		return nil, fmt.Errorf("removing the %s of the previous release: %w", evidence.SumsName, err)
	}
	return listed, nil
}

// Supersede removes from dir the files by which commands pass on a release, except those named
// in keep. They describe an older state.
func Supersede(dir string, keep ...string) error {
	for _, k := range []stagefile.Kind{stagefile.Build, stagefile.Part, stagefile.Lock} {
		if slices.Contains(keep, k.Name) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, k.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing an older %s: %w", k.Name, err)
		}
	}
	return nil
}

// sweep removes what an earlier release in this directory left and this one did not make.
// Otherwise, whoever copies the directory would also copy a bundle for a platform that was
// dropped. sweep also removes deltas, except those that make a bundle of this release.
func (c *run) sweep(names []string, bundles []bundle.File) error {
	old := c.before
	for _, name := range slices.Concat(c.before, names) {
		if strings.HasSuffix(name, ".tar.zst") {
			old = append(old, name+bundle.DeltaSuffix)
		}
	}
	name := c.product.Name + "-images*"
	patterns := []string{evidence.SignedProvenance, name + ".tar.zst", name + ".txt", name + ".tar.zst" + bundle.DeltaSuffix, name + bundle.VolumesSuffix, "." + name + bundle.VolumesSuffix}
	for _, pattern := range append(patterns, ofVersions(c.product.Name)...) {
		found, err := filepath.Glob(filepath.Join(c.out, pattern))
		if err != nil {
			return err
		}
		for _, f := range found {
			rel, err := filepath.Rel(c.out, f)
			if err != nil {
				return err
			}
			old = append(old, filepath.ToSlash(rel))
		}
	}
	slices.Sort(old)
	for _, name := range slices.Compact(old) {
		if slices.Contains(names, name) || c.current(name, bundles) {
			continue
		}
		err := os.Remove(filepath.Join(c.out, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("removing what an earlier release left: %w", err)
		}
		c.options.Progress.Printf("removed %s, which an earlier release left", filepath.Join(c.options.Out, name))
	}
	return nil
}

// current reports whether a file is a delta that makes one of the bundles.
func (c *run) current(name string, bundles []bundle.File) bool {
	if !strings.HasSuffix(name, bundle.DeltaSuffix) {
		return false
	}
	has, err := bundle.Inspect(filepath.Join(c.out, filepath.FromSlash(name)))
	return err == nil && has.Delta != nil && slices.ContainsFunc(bundles, func(f bundle.File) bool {
		return filepath.Base(f.Path) == has.Delta.Bundle && f.SHA256 == has.Delta.SHA256
	})
}
