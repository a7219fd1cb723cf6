package main

import (
	"context"
	"os"
	"path/filepath"
)

// warm measures three releases without changes to the product: one with everything in place, also
// through mage, which makes sure that slipway is current; one without its files, so that the
// bundles are packed again; and one without its layers too, so that all layers are compressed
// again but no program is compiled. The last is all the work of slipway itself, without the Go
// compiler; its peak memory is that of the pipeline. No other tool does these, so the ratios
// compare the rows with one another.
func (b *bench) warm(ctx context.Context) error {
	release := func(store, out string) []string {
		return []string{b.slipway, "release", "-q", "-product", b.product, "-store", store, "-out", out}
	}
	all, err := alternately(ctx, func() error { return nil },
		method{"slipway release", [][]string{release(b.store, b.dist)}},
		method{"slipway check", [][]string{{b.slipway, "check", "-product", b.product}}},
		method{"slipway version", [][]string{{b.slipway, "version"}}},
		method{"go tool mage release", [][]string{{"go", "tool", "mage", "release", "-q"}}})
	if err != nil {
		return err
	}
	where, err := stages("Where that time goes: kpack, nothing changed", b.store)
	if err != nil {
		return err
	}
	packed, err := measure(ctx, "slipway release, bundles gone, layers there",
		release(b.store, filepath.Join(b.tmp, "dist")))
	if err != nil {
		return err
	}
	programs := filepath.Join(b.tmp, "warm-programs")
	if err := b.programsOnly(ctx, "warm-programs"); err != nil {
		return err
	}
	compressed, err := measure(ctx, "slipway release, layers and bundles gone, programs there",
		release(programs, filepath.Join(b.tmp, "dist-programs")))
	if err == nil {
		b.found(comparison{
			title: "A release in which nothing changed", ours: all[0], other: append(all[1:], packed, compressed),
		})
		b.found(where)
	}
	return err
}

// programsOnly copies the store to b.tmp/NAME, unless that is there, without its blobs and the
// records of them. Compiled programs and their inputs are kept.
func (b *bench) programsOnly(ctx context.Context, name string) error {
	dir := filepath.Join(b.tmp, name)
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if _, err := measure(ctx, "", []string{"cp", "-a", b.store, dir}); err != nil {
		return err
	}
	for _, name := range []string{
		"blobs", "index.json", "oci-layout", "cache/layer", "cache/tar",
		"cache/bundle", "cache/verified",
	} {
		if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return nil
}
