package shard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/internal/disk"
)

// PlansIn returns the paths of plans in directories.
func PlansIn(dirs ...string) (all []string) {
	for _, dir := range dirs {
		list, _ := os.ReadDir(dir) // an unreadable directory has no plans
		for _, e := range list {
			if path := filepath.Join(dir, e.Name()); strings.HasSuffix(path, ".json") && IsPlan(path) {
				all = append(all, path)
			}
		}
	}
	return all
}

// PartPaths returns what belongs to parts: their directories, or of one that has another
// directory of the run in it, the files of the part.
func PartPaths(parts []string, others ...string) (all []string) {
	for _, path := range parts {
		dir := filepath.Dir(path)
		if slices.ContainsFunc(others, func(other string) bool { return above(dir, other) }) {
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
