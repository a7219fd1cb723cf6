package evidence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/progress"
)

// GivenOptions configure [Given.Verify].
type GivenOptions struct {
	Policy Policy // without keys only bytes are compared with their digests
	Sums   string // path of a SHA256SUMS that lists the bundles; "" for none
	Since  string // the release that runs now: an older one is refused; "" for none
	// Compare returns further comparisons of bundles, as in [bundle.VerifyOptions]; nil for none.
	Compare  func() (func(*bundle.Contents, bool) []string, error)
	Progress *progress.Printer
}

// verification is one call of [Given.Verify].
type verification struct {
	Given
	GivenOptions

	all    *Verified
	proven map[string]*bundle.Bundle      // bundles whose signatures were verified, by path; closed
	layout map[string]*bundle.ImageLayout // layouts whose signatures were verified, by path
}

// Verify verifies the signatures of all paths, if the policy has keys, before it reads layers, and
// then every byte. wrong lists the damage of bytes and comes with a result; an error does not.
func (g Given) Verify(ctx context.Context, o GivenOptions) (all *Verified, wrong, err error) {
	v := &verification{Given: g, GivenOptions: o, all: &Verified{}, proven: map[string]*bundle.Bundle{}}
	if v.signed() && o.Sums != "" { // before a file is compared with them
		if err := CheckSums(o.Sums, o.Policy); err != nil {
			return nil, nil, err
		}
	}
	if v.signed() && !v.alone() {
		if v.all.Evidence, err = v.prove(ctx, nil); err != nil {
			return nil, nil, err
		}
	}
	errs := v.bytes(ctx)
	if ctx.Err() != nil || v.signed() && v.all.Evidence == nil {
		return nil, nil, errors.Join(errs...)
	}
	if len(errs) > 0 {
		v.all.Evidence = nil // who made it does not matter where bytes are wrong
	}
	return v.all, errors.Join(errs...), nil
}

func (v *verification) signed() bool { return len(v.Policy.Keys) > 0 }

// prove verifies the signatures of all paths, before layers are read. opened is the bundle, if it
// is open already and nothing else is verified.
func (v *verification) prove(ctx context.Context, opened *bundle.Bundle) (*Report, error) {
	var floor *provenance.Statement
	if v.Since != "" {
		var err error
		if floor, err = v.floor(); err != nil {
			return nil, fmt.Errorf("-since: %w", err)
		}
	}
	paths := slices.Clone(v.Bundles)
	var r *Report
	for _, dir := range v.Directories {
		var err error
		if r, err = VerifyDir(ctx, dir, v.Policy, v.Progress, v.Statements...); err != nil {
			return nil, err
		}
		paths = append(paths, r.Files.Bundles...)
	}
	if len(paths)+len(v.Layouts) > 0 {
		images, err := v.images(paths, opened)
		if err != nil {
			return nil, err
		}
		if r != nil {
			if err := r.CheckSame(images); err != nil {
				return nil, fmt.Errorf("%s and the images have statements that differ: "+
					"%w: verify the files of one release together", v.Directories[0], err)
			}
			images.Files = r.Files
		}
		r = images
	}
	if floor != nil {
		return r, r.CheckSince(floor)
	}
	return r, nil
}

// images verifies the images in bundles and extracted directories. A single bundle may be open
// already; otherwise images opens all.
func (v *verification) images(paths []string, alone *bundle.Bundle) (*Report, error) {
	bundles := []*bundle.Bundle{alone}
	if alone == nil {
		all, closeAll, err := bundle.OpenAll(paths)
		if err != nil {
			return nil, err
		}
		defer closeAll()
		bundles = all
	}
	all, opened := FromBundles(paths, bundles), map[string]*bundle.ImageLayout{}
	for _, dir := range v.Layouts {
		l, err := bundle.OpenImageLayout(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, FromLayout(dir, l))
		opened[dir] = l
	}
	statements := slices.Clone(v.Statements)
	for _, dir := range v.Directories { // VerifyDir has read them
		paths, err := dirStatements(dir)
		if err != nil {
			return nil, err
		}
		statements = append(statements, slices.DeleteFunc(paths, func(path string) bool {
			return filepath.Base(path) == SignedProvenance && !onlyListed(all) // images refer to it
		})...)
	}
	r, err := Verify(all, v.Policy, statements...)
	if err != nil {
		return nil, err
	}
	v.layout = opened
	for n, path := range paths {
		v.proven[path] = bundles[n]
	}
	return r, nil
}

// floor returns the statement of the release that runs now. The same keys must have signed it.
func (v *verification) floor() (*provenance.Statement, error) {
	fi, err := os.Stat(v.Since)
	if err != nil {
		return nil, err
	}
	var r *Report
	switch {
	case fi.IsDir():
		r, err = ReadDirStatements(v.Since, v.Policy)
	case strings.HasSuffix(v.Since, ".json"):
		r, err = ReadStatements([]string{v.Since}, v.Policy)
	default:
		old := verification{GivenOptions: GivenOptions{Policy: v.Policy}, proven: map[string]*bundle.Bundle{}}
		r, err = old.images([]string{v.Since}, nil)
	}
	if err != nil {
		return nil, err
	}
	return r.Statement, nil
}

// bytes reads everything and compares it with its digests.
func (v *verification) bytes(ctx context.Context) (errs []error) {
	o := bundle.VerifyOptions{Sums: v.Sums, Progress: v.Progress}
	if v.Compare != nil {
		var err error
		if o.Compare, err = v.Compare(); err != nil {
			return []error{err}
		}
	}
	for _, path := range v.Bundles {
		switch {
		case v.signed() && v.alone():
			o.Check = func(b *bundle.Bundle) (err error) {
				v.all.Evidence, err = v.prove(ctx, b)
				return err
			}
		case v.signed():
			o.Check = v.unchanged(path)
		}
		r, err := bundle.Verify(ctx, path, o)
		if ctx.Err() != nil {
			return []error{err}
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		v.all.Bundles = append(v.all.Bundles, *r)
		for _, p := range r.Problems {
			errs = append(errs, fmt.Errorf("%s: %s", path, p))
		}
	}
	for _, line := range bundle.Complete(v.all.Bundles) {
		errs = append(errs, errors.New(line))
	}
	return append(errs, v.directories(ctx)...)
}

// directories reads extracted images and, without a key, the directories of releases: with one
// they were read.
func (v *verification) directories(ctx context.Context) (errs []error) {
	for _, dir := range v.Layouts {
		l, err := v.layout[dir], error(nil)
		if l == nil {
			l, err = bundle.OpenImageLayout(dir)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		blobs, size, err := l.Verify(ctx, v.Progress)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		v.all.Layouts = append(v.all.Layouts, layoutReport{dir, l.Image.Name, blobs, size})
	}
	if v.signed() {
		return errs
	}
	for _, dir := range v.Directories {
		files, err := CompareDir(ctx, dir, v.Progress)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		v.all.Directories = append(v.all.Directories, directoryReport{dir, files})
	}
	return errs
}

// unchanged returns a check that a bundle whose layers are about to be read is the verified bundle:
// the file could have been exchanged.
func (v *verification) unchanged(path string) func(*bundle.Bundle) error {
	return func(b *bundle.Bundle) error {
		if was := v.proven[path]; was == nil || !b.SameDocuments(was) {
			return fmt.Errorf("%s was exchanged while it was verified: "+
				"let nothing write to it, and verify it again",
				path)
		}
		return nil
	}
}
