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
	"github.com/slipway-dev/slipway/lock"
)

// Clean deletes the files of a release from dir, and dir itself where nothing else is in it: what SHA256SUMS lists, the product's
// bundles, deltas of either, and what every release has. The lock goes last, so that a Clean that was interrupted can be run again. A directory with
// files and no lock is an error; one that does not exist is none.
func Clean(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cleaning: %w", err)
	}
	if len(entries) == 0 {
		return os.Remove(dir)
	}
	l, err := lock.Read(filepath.Join(dir, lock.Name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cleaning %s: it has no %s, so it may not be slipway's: remove it by hand", dir, lock.Name)
	case err != nil:
		return fmt.Errorf("cleaning: %w: remove by hand what is slipway's", err)
	}
	bundles := listed(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), l.Name+"-images") && isBundle(e.Name()) {
			bundles = append(bundles, e.Name())
		}
	}
	for _, name := range slices.Clone(bundles) {
		if strings.HasSuffix(name, ".tar.zst") {
			bundles = append(bundles, name+airgap.DeltaSuffix)
		}
	}
	for _, a := range l.Artifacts {
		bundles = append(bundles, a.File)
	}
	for _, name := range slices.Concat([]string{SumsName}, bundles, []string{Manifest, "load-images.sh", "load-images.ps1", binaryPath, lock.Name}) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cleaning: %w", err)
		}
	}
	os.Remove(filepath.Join(dir, filepath.Dir(binaryPath))) //nolint:errcheck // it stays where something else is in it
	os.Remove(dir)                                          //nolint:errcheck // as above
	return nil
}

// listed returns the bundles that SHA256SUMS names. It may be that of another program, so nothing else in it counts.
func listed(dir string) []string {
	text, err := os.ReadFile(filepath.Join(dir, SumsName))
	if err != nil {
		return nil
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && filepath.Base(name) == name && isBundle(name) {
			names = append(names, name)
		}
	}
	return names
}

// isBundle reports whether a file's name is that of a bundle, of a delta or of the list beside it.
func isBundle(name string) bool {
	return strings.HasSuffix(name, ".tar.zst") || strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".tar.zst"+airgap.DeltaSuffix)
}
