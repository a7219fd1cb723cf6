package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/product"
)

var (
	bundleFiles = []string{"*" + distfile.BundleSuffix, "*" + distfile.GzipSuffix}
	deltaFiles  = []string{"*" + distfile.BundleSuffix + distfile.DeltaSuffix}
	// wantedFiles are the files that arguments and flags take, the best first. Other flags take a
	// file with one of the endings that a shell offers.
	wantedFiles = map[string][]string{
		"BUNDLE": bundleFiles, "OLD-BUNDLE": bundleFiles, "NEW-BUNDLE": bundleFiles, "DELTA": deltaFiles,
		"LOCK or BUNDLE": append([]string{distfile.Lock}, bundleFiles...), "PART": {distfile.Part},
		"MANIFEST or CHART": {distfile.Manifest},
		"-product":          {product.File}, "-lock": {distfile.Lock}, "-release": {distfile.Manifest},
		"-weights": {distfile.Weights}, "-plan": {"plan.json"}, "-nodes": {"nodes.json"}, "-base": bundleFiles,
		"-inputs": {"*" + distfile.InputsSuffix},
	}
)

// checkFiles reports a directory where an argument is a file.
func (a arguments) checkFiles(given []string) error {
	for n, path := range given {
		name := a.names[min(n, len(a.names)-1)]
		if strings.Contains(name, "CHART") {
			_, chart := os.Stat(filepath.Join(path, "Chart.yaml"))
			if _, err := os.Stat(filepath.Join(path, distfile.Manifest)); chart == nil || err != nil {
				continue // the directory of a chart, or of none
			}
		}
		if err := notDirectory(path, path, wantedFiles[name]); err != nil {
			return err
		}
	}
	return nil
}

// checkFileFlags reports a flag that names a directory where it takes a file to read.
func checkFileFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		endings, isFile := f.Annotations[cobra.BashCompFilenameExt]
		if err != nil || !isFile || f.Annotations[written] != nil {
			return
		}
		wanted := wantedFiles["-"+f.Name]
		if wanted == nil {
			for _, e := range endings {
				wanted = append(wanted, "*."+e)
			}
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, path := range values {
			err = cmp.Or(err, notDirectory("-"+f.Name+"="+path, path, wanted))
		}
	})
	return err
}

// notDirectory reports a directory where a file is wanted, and names the best such file in it: of
// several bundles the one with the shortest name, which is for all platforms.
func notDirectory(given, path string, wanted []string) error {
	if fi, err := os.Stat(path); err != nil || !fi.IsDir() || len(wanted) == 0 {
		return nil //nolint:nilerr // a reference, or the command reports it
	}
	entries, _ := os.ReadDir(path)
	for _, pattern := range wanted {
		best := ""
		for _, e := range entries {
			name := e.Name()
			if ok, _ := filepath.Match(pattern, name); !ok || e.IsDir() ||
				strings.HasSuffix(name, distfile.InputsSuffix) && pattern != "*"+distfile.InputsSuffix {
				continue
			}
			if best == "" || len(name) < len(best) {
				best = name
			}
		}
		if best != "" {
			return fmt.Errorf("%s is a directory: name a file in it, such as %s", given, filepath.Join(path, best))
		}
	}
	return fmt.Errorf("%s is a directory, and has no %s: name a file", given, wanted[0])
}
