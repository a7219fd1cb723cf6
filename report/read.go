package report

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/changes"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
)

// Release is what a page tells of. What is not known is nil or empty, and Unknown says why.
type Release struct {
	changes.Release // its Lock is nil if only a bundle is there

	// Contents is the bundle with the most images: that for all platforms, if there is one.
	Contents *bundle.Contents
	Bundles  []bundle.File
	// Manifest is release.yaml, and Findings what lint finds in it.
	Manifest []byte
	Findings []lint.Finding
	// Signed is how the release is signed by its own account; "" if it is not.
	Signed string
	// Unknown lists what could not be known, and why.
	Unknown []string
}

// Read reads the directory of a release, its release.lock.json, or a bundle. Nothing is verified
// but that files can be read.
func Read(ctx context.Context, path string) (*Release, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case fi.IsDir():
		return readDir(ctx, path)
	case strings.HasSuffix(path, ".json"):
		l, err := lock.Read(path)
		if err != nil {
			return nil, err
		}
		return &Release{Release: changes.Release{Lock: l}, Unknown: []string{
			"Layers, bundles, files, modules and signatures: this page was made from a lock alone.",
		}}, nil
	}
	f, err := readBundle(path)
	if err != nil {
		return nil, err
	}
	r := &Release{Contents: f.Contents, Bundles: []bundle.File{*f}}
	r.Unknown = append(r.Unknown,
		"Sources, bases, tags and modules: this page was made from a bundle, which does not have the lock of the release.")
	if slices.ContainsFunc(f.Contents.Images, func(i bundle.Image) bool { return len(i.Referrers) > 0 }) {
		r.Signed = "The bundle has evidence for images."
	}
	return r, nil
}

func readBundle(path string) (*bundle.File, error) {
	c, err := bundle.Inspect(path)
	if err != nil {
		return nil, err
	}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return &bundle.File{Path: filepath.Base(path), Size: fi.Size(), Contents: c}, nil
}

// readDir reads what the directory of a release has.
func readDir(ctx context.Context, dir string) (*Release, error) {
	l, err := lock.Read(filepath.Join(dir, lock.Name))
	if err != nil {
		return nil, err
	}
	described, err := changes.Read(dir, l)
	if err != nil {
		return nil, err
	}
	r := &Release{Release: described}
	sums, err := evidence.Sums(dir)
	if err != nil {
		return nil, err
	}
	for name, sum := range sums {
		if !strings.HasSuffix(name, ".tar.zst") {
			continue
		}
		f, err := readBundle(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		f.SHA256 = sum
		r.Bundles = append(r.Bundles, *f)
	}
	slices.SortFunc(r.Bundles, func(a, b bundle.File) int { return strings.Compare(a.Path, b.Path) })
	for n, f := range r.Bundles {
		if r.Contents == nil || f.Contents.Layers > r.Contents.Layers {
			r.Contents = r.Bundles[n].Contents
		}
	}
	if r.Contents == nil {
		r.Unknown = append(r.Unknown, "Layers: the directory has no bundle.")
	}
	if r.Modules == nil {
		r.Unknown = append(r.Unknown, "Modules of programs: the directory has no bill of materials.")
	}
	r.Manifest, err = os.ReadFile(filepath.Join(dir, "release.yaml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if r.Manifest != nil {
		found, err := lint.Check(ctx, []lint.File{{Name: "release.yaml", Text: r.Manifest}}, lint.Options{Lock: l})
		if err != nil {
			return nil, err
		}
		r.Findings = found.Findings
	}
	if _, ok := sums[evidence.SignedProvenance]; ok {
		r.Signed = fmt.Sprintf("Signed by its own account: %s has a signature. This page did not verify it.", evidence.SignedProvenance)
	}
	return r, nil
}
