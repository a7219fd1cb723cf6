package lint

import (
	"context"
	"fmt"

	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/render/workload"
)

// ReadFiles reads the manifests at paths, of which "-" is standard input, and renders the charts
// among them with values.
func ReadFiles(ctx context.Context, paths, valueFiles []string) ([]File, error) {
	values, err := chart.ReadValueFiles(valueFiles)
	if err != nil {
		return nil, err
	}
	files := make([]File, 0, len(paths))
	for _, path := range paths {
		var file File
		if chart.IsPath(path) {
			_, file, err = RenderChart(ctx, path, values)
		} else {
			file.Name, file.Text, err = workload.ReadInput(path)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// RenderChart renders the chart at a path without a cluster.
func RenderChart(ctx context.Context, path string, values map[string]any) (*chart.Chart, File, error) {
	c, err := chart.Load(chart.Locate(path))
	if err != nil {
		return nil, File{}, err
	}
	objects, err := c.Render(ctx, chart.Options{Values: values})
	if err != nil {
		return nil, File{}, err
	}
	return c, ChartFile(path, objects), nil
}

// Err returns an error if there are errors, or with strict also if there are warnings.
func (r *Report) Err(strict bool) error {
	wrong, what := r.Count(Error), "error"
	if strict {
		wrong, what = wrong+r.Count(Warning), "finding"
	}
	if wrong == 0 {
		return nil
	}
	if wrong > 1 {
		what += "s"
	}
	return fmt.Errorf("%s: %d %s: fix them, or allow them with a reason", r.Title(), wrong, what)
}
