package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/progress"
)

// prove verifies the signatures of everything that is named, before layers are read. opened is the
// bundle, if it is open already and nothing else is verified.
func (v *verifying) prove(cmd *cobra.Command, pr *progress.Printer, opened *bundle.Bundle) (*evidence.Report, error) {
	var floor *provenance.Statement
	if v.since != "" {
		var err error
		if floor, err = v.floor(); err != nil {
			return nil, fmt.Errorf("-since: %w", err)
		}
	}
	paths := slices.Clone(v.bundles)
	var r *evidence.Report
	for _, dir := range v.dirs {
		one, err := evidence.VerifyDir(cmd.Context(), dir, v.proof.policy, pr)
		if err != nil {
			return nil, err
		}
		if r != nil {
			return nil, usageError{fmt.Errorf("%s and %s: name one directory of a release; see %s -h", v.dirs[0], dir, cmd.CommandPath())}
		}
		r = one
		paths = append(paths, r.Files.Bundles...)
	}
	if len(paths)+len(v.layouts) > 0 {
		images, err := v.images(paths, opened)
		if err != nil {
			return nil, err
		}
		if r != nil {
			if err := r.CheckSame(images); err != nil {
				return nil, fmt.Errorf("%s and the images have statements that differ: %w: verify the files of one release together", v.dirs[0], err)
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

// images verifies the images in bundles and extracted directories. It opens the bundles, unless it
// is the one that is open already.
func (v *verifying) images(paths []string, alone *bundle.Bundle) (*evidence.Report, error) {
	bundles, opened := []*bundle.Bundle{alone}, map[string]*bundle.ImageLayout{}
	if alone == nil {
		all, closeAll, err := openAll(paths)
		if err != nil {
			return nil, err
		}
		defer closeAll()
		bundles = all
	}
	all := materials(paths, bundles)
	for _, dir := range v.layouts {
		l, err := bundle.OpenImageLayout(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, evidence.FromLayout(dir, l))
		opened[dir] = l
	}
	r, err := evidence.Verify(all, v.proof.policy, v.statements...)
	if err != nil {
		return nil, err
	}
	v.layout = opened
	v.proven = map[string]*bundle.Bundle{}
	for n, path := range paths {
		v.proven[path] = bundles[n]
	}
	return r, nil
}

// floor returns the statement of the release that runs now. The same keys must have signed it.
func (v *verifying) floor() (*provenance.Statement, error) {
	fi, err := os.Stat(v.since)
	if err != nil {
		return nil, err
	}
	var r *evidence.Report
	switch {
	case fi.IsDir():
		r, err = evidence.ReadDirStatements(v.since, v.proof.policy)
	case strings.HasSuffix(v.since, ".json"):
		r, err = evidence.ReadStatements([]string{v.since}, v.proof.policy)
	default:
		old := verifying{proof: v.proof}
		r, err = old.images([]string{v.since}, nil)
	}
	if err != nil {
		return nil, err
	}
	return r.Statement, nil
}
