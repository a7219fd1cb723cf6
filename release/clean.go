package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/built"
	"github.com/slipway-dev/slipway/build/inputs"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/report"
	"github.com/slipway-dev/slipway/sbom"
	"github.com/slipway-dev/slipway/shard"
)

// Clean deletes the files of a release from dir: the bundles that SHA256SUMS lists, the
// product's bundles, deltas and lists of volumes, the artifacts, and the files that every
// release has. It then removes dir if that is empty.
//
// The lock is removed last, so that an interrupted Clean can be run again. It is an error if
// dir has files but no lock, no part and no result of a build. A missing dir is not an error.
// If another process has locked dir, Clean reports that once by say and waits.
func Clean(ctx context.Context, dir string, say disk.Say) error {
	return disk.Clear(ctx, dir, say, func(d *disk.Dir) error { return clean(dir, d) })
}

func clean(dir string, d *disk.Dir) error {
	disk.Sweep(filepath.Join(dir, filepath.Dir(binaryPath)))
	disk.Sweep(filepath.Join(dir, sbom.Dir))
	entries, err := d.ReadDir()
	if err != nil {
		return fmt.Errorf("cleaning: %w", err)
	}
	if len(entries) > 0 {
		if err := cleanFiles(dir, entries); err != nil {
			return err
		}
	}
	if err := disk.Unignore(dir); err != nil {
		return fmt.Errorf("cleaning: %w", err)
	}
	return nil
}

func cleanFiles(dir string, entries []fs.DirEntry) error {
	product, artifacts, err := made(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cleaning %s: it has no %s, so it may not be slipway's: remove it by hand", dir, lock.Name)
	case err != nil:
		return fmt.Errorf("cleaning: %w: remove by hand what is slipway's", err)
	}
	bundles := listed(dir)
	for _, e := range entries {
		name, isList := e.Name(), strings.HasSuffix(e.Name(), bundle.VolumesSuffix)
		if isList {
			name = strings.TrimPrefix(name, ".") // an interrupted split leaves a hidden list
		}
		if strings.HasPrefix(name, product+"-images") && (isList || isBundle(name)) {
			bundles = append(bundles, e.Name())
		}
	}
	for _, name := range slices.Clone(bundles) {
		if strings.HasSuffix(name, ".tar.zst") {
			bundles = append(bundles, name+bundle.DeltaSuffix)
		}
	}
	for _, a := range artifacts {
		bundles = append(bundles, a.File)
	}
	for _, pattern := range ofVersions(product) {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return fmt.Errorf("cleaning: %w", err)
		}
		for _, f := range found {
			bundles = append(bundles, strings.TrimPrefix(f, dir+string(filepath.Separator)))
		}
	}
	for _, name := range slices.Concat([]string{evidence.SumsName, evidence.SumsBundle, evidence.SumsSignature, evidence.SignedProvenance}, bundles, []string{Manifest, report.Name, Provenance, shard.WeightsName, "load-images.sh", "load-images.ps1", binaryPath}) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cleaning: %w", err)
		}
	}
	os.Remove(filepath.Join(dir, filepath.Dir(binaryPath))) //nolint:errcheck // it stays if it has other files
	os.Remove(filepath.Join(dir, sbom.Dir))                 //nolint:errcheck // so does this
	if err := Supersede(dir); err != nil {
		return fmt.Errorf("cleaning: %w", err)
	}
	return nil
}

// ofVersions returns patterns of the files whose names a release with another version or other
// images does not have.
func ofVersions(product string) []string {
	return []string{sbom.SPDXName("*"), product + "-*" + sbom.CycloneDXSuffix, product + "-*" + inputs.Suffix}
}

// made returns the product and the artifacts of what dir has: a release, a part of one, or the
// result of a build.
func made(dir string) (product string, artifacts []lock.Artifact, err error) {
	l, err := lock.Read(filepath.Join(dir, lock.Name))
	if !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return "", nil, err
		}
		return l.Name, l.Artifacts, nil
	}
	p, err := lock.ReadPart(filepath.Join(dir, lock.PartName))
	if !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return "", nil, err
		}
		return p.Name, p.Artifacts, nil
	}
	r, err := built.Read(filepath.Join(dir, stagefile.Build.Name))
	if err != nil {
		return "", nil, err
	}
	return r.Name, r.Artifacts, nil
}

// listed returns the bundles that SHA256SUMS names. Another program may have written the file,
// so all other names are ignored.
func listed(dir string) []string {
	text, err := regular.Read(filepath.Join(dir, evidence.SumsName))
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

// isBundle reports whether a file's name is that of a bundle, of its list or of a delta.
func isBundle(name string) bool {
	return strings.HasSuffix(name, ".tar.zst") || strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".tar.zst"+bundle.DeltaSuffix)
}
