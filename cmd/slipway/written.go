package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/build/times"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/shard"
)

// paths returns what slipway writes, in this run or before it: the store, the output directory,
// what flags and arguments name, and plans of shards that are next to slipway.yaml or in this
// directory.
func (f *flags) paths() []string {
	all := append([]string{f.storeDir(), cmp.Or(f.out, "dist")}, f.made...)
	for _, dir := range []string{".", filepath.Dir(f.product)} {
		list, _ := os.ReadDir(dir) // what cannot be read has none
		for _, e := range list {
			if path := filepath.Join(dir, e.Name()); strings.HasSuffix(path, ".json") && shard.IsPlan(path) {
				all = append(all, path)
			}
		}
	}
	return all
}

// partPaths returns what belongs to parts: their directories, or of one that has the product or
// this directory in it, the files of the part.
func (f *flags) partPaths(parts []string) (all []string) {
	for _, path := range parts {
		dir := filepath.Dir(path)
		if above(dir, ".") || above(dir, filepath.Dir(f.product)) {
			all = append(all, path, filepath.Join(dir, times.FileName))
			continue
		}
		all = append(all, dir)
	}
	return all
}

// above reports whether a path is dir or below it.
func above(dir, path string) bool {
	dir, wrong := filepath.Abs(dir)
	path, err := filepath.Abs(path)
	if wrong != nil || err != nil {
		return true
	}
	return disk.Within(dir, path)
}
