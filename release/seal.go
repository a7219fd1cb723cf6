package release

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/airgap"
)

// unseal takes SHA256SUMS away before the first file of the release changes: a directory that has
// one is complete. What it listed is remembered for [cut.sweep].
func (c *cut) unseal() error {
	path := filepath.Join(c.out, SumsName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", SumsName, err)
	}
	for line := range strings.Lines(string(text)) {
		if _, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  "); ok && filepath.IsLocal(filepath.FromSlash(name)) {
			c.before = append(c.before, name)
		}
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("removing the %s of the release before: %w", SumsName, err)
	}
	return nil
}

// sweep removes what an earlier release in this directory left and this one did not make: a
// bundle for a platform that was dropped would be picked up by whoever copies the directory. So
// would a delta that makes a bundle of an earlier release; one that makes a bundle of this one
// stays.
func (c *cut) sweep(names []string, bundles []airgap.File) error {
	old := c.before
	for _, name := range slices.Concat(c.before, names) {
		if strings.HasSuffix(name, ".tar.zst") {
			old = append(old, name+airgap.DeltaSuffix)
		}
	}
	bundle := c.product.Name + "-images*"
	for _, pattern := range []string{
		bundle + ".tar.zst", bundle + ".txt", bundle + ".tar.zst" + airgap.DeltaSuffix, bundle + airgap.VolumesSuffix, "." + bundle + airgap.VolumesSuffix,
	} {
		found, err := filepath.Glob(filepath.Join(c.out, pattern))
		if err != nil {
			return err
		}
		for _, f := range found {
			old = append(old, filepath.Base(f))
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
func (c *cut) current(name string, bundles []airgap.File) bool {
	if !strings.HasSuffix(name, airgap.DeltaSuffix) {
		return false
	}
	has, err := airgap.Inspect(filepath.Join(c.out, filepath.FromSlash(name)))
	return err == nil && has.Delta != nil && slices.ContainsFunc(bundles, func(f airgap.File) bool {
		return filepath.Base(f.Path) == has.Delta.Bundle && f.SHA256 == has.Delta.SHA256
	})
}
