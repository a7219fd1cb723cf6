package chart

import (
	"os"
	"path/filepath"
	"strings"
)

// IsPath reports whether a path is that of a chart, not of a manifest.
func IsPath(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && (fi.IsDir() || strings.HasSuffix(path, ".tgz"))
}

// Locate returns where a chart is. Below the working directory it may use all of that, elsewhere
// its own directory only.
func Locate(path string) Location {
	if filepath.IsLocal(path) {
		return Location{Tree: ".", Path: filepath.ToSlash(path), Shown: filepath.ToSlash(filepath.Clean(path))}
	}
	if fi, err := os.Stat(path); err == nil && fi.IsDir() {
		return Location{Tree: path, Path: ".", Shown: filepath.ToSlash(path)}
	}
	return Location{Tree: filepath.Dir(path), Path: filepath.Base(path), Shown: filepath.ToSlash(path)}
}

// ReadValueFiles reads files of values for charts; later ones replace values of those before.
func ReadValueFiles(paths []string) (map[string]any, error) {
	values := map[string]any{}
	for _, path := range paths {
		v, err := ReadValues(filepath.Dir(path), filepath.Base(path), path)
		if err != nil {
			return nil, err
		}
		values = MergeValues(values, v)
	}
	return values, nil
}
