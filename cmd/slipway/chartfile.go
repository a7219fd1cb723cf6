package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/chart"
	"github.com/slipway-dev/slipway/lint"
)

// readValues reads files of values for charts; later ones replace values of those before.
func readValues(paths []string) (map[string]any, error) {
	values := map[string]any{}
	for _, path := range paths {
		v, err := chart.ReadValues(filepath.Dir(path), filepath.Base(path), path)
		if err != nil {
			return nil, err
		}
		values = chart.MergeValues(values, v)
	}
	return values, nil
}

// renderChart renders the chart at a path without a cluster.
func renderChart(ctx context.Context, path string, values map[string]any) (*chart.Chart, lint.File, error) {
	c, err := chart.Load(locate(path))
	if err != nil {
		return nil, lint.File{}, err
	}
	objects, err := c.Render(ctx, chart.Options{Values: values})
	if err != nil {
		return nil, lint.File{}, err
	}
	return c, lint.ChartFile(path, objects), nil
}

// isChart reports whether a path is that of a chart, not of a manifest.
func isChart(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && (fi.IsDir() || strings.HasSuffix(path, ".tgz"))
}

// locate returns where a chart is. Below the working directory it may use all of that, elsewhere
// its own directory only.
func locate(path string) chart.Location {
	if filepath.IsLocal(path) {
		return chart.Location{Tree: ".", Path: filepath.ToSlash(path), Shown: filepath.ToSlash(filepath.Clean(path))}
	}
	if fi, err := os.Stat(path); err == nil && fi.IsDir() {
		return chart.Location{Tree: path, Path: ".", Shown: filepath.ToSlash(path)}
	}
	return chart.Location{Tree: filepath.Dir(path), Path: filepath.Base(path), Shown: filepath.ToSlash(path)}
}
