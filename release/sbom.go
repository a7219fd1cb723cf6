package release

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/build/inventory"
	"github.com/slipway-dev/slipway/evidence/sbom"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/lock"
)

// bill is a bill of materials.
type bill struct {
	name  string // in dist/
	image string // that it is of; "" for that of the release
	data  []byte
}

// bills makes the bills of materials of a release whose charts are in the store.
func (c *run) bills(ctx context.Context, l *lock.Lock, has *lock.Inventory) ([]bill, error) {
	if has == nil {
		return nil, errors.New("writing the bills of materials: a part has no inventory: build it again")
	}
	v := *has
	v.Contents = slices.Clone(v.Contents)
	for _, chart := range l.Charts {
		sum, err := inventory.SHA512(ctx, c.store, chart.File.Digest)
		if err != nil {
			return nil, err
		}
		if err := v.Add(&lock.Inventory{Contents: []lock.Content{{Digest: chart.File.Digest, SHA512: sum}}}); err != nil {
			return nil, err
		}
	}
	all := make([]bill, len(l.Images), len(l.Images)+1)
	err := each(len(l.Images), func(n int) (err error) {
		name := l.Images[n].Name
		all[n] = bill{name: sbom.SPDXName(name), image: name}
		all[n].data, err = sbom.SPDX(l, &v, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	data, err := sbom.CycloneDX(l, &v)
	return append(all, bill{name: sbom.CycloneDXName(l), data: data}), err
}

// writeBills writes bills of materials to dist/ and returns their names.
func (c *run) writeBills(all []bill) ([]string, error) {
	if err := disk.MkdirAll(filepath.Join(c.out, sbom.Dir)); err != nil {
		return nil, fmt.Errorf("writing the bills of materials: %w", err)
	}
	var names []string
	for _, b := range all {
		if err := disk.Write(filepath.Join(c.out, filepath.FromSlash(b.name)), b.data, disk.ModeFile); err != nil {
			return nil, fmt.Errorf("writing %s: %w", b.name, err)
		}
		names = append(names, b.name)
	}
	return names, nil
}
