package nodes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/render/workload"
)

// ReadCharts renders charts: those that are named, or those of the lock in its directory. Those
// of the lock that are not there are unknown.
func ReadCharts(ctx context.Context, paths, valueFiles []string, l *lock.Lock,
	dir string,
) (sources []Source, unknown []string, err error) {
	if len(paths) == 0 {
		for _, c := range l.Charts {
			path := filepath.Join(dir, c.File.Name)
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				unknown = append(unknown,
					fmt.Sprintf("chart %s is not judged: %s is not there: name the chart", c.Name, path))
				continue
			}
			paths = append(paths, path)
		}
	}
	values, err := chart.ReadValueFiles(valueFiles)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		c, file, err := lint.RenderChart(ctx, path, values)
		if err != nil {
			return nil, nil, err
		}
		objects, err := workload.Read(file.Name, file.Text)
		if err != nil {
			return nil, nil, fmt.Errorf("what chart %s makes: %w", path, err)
		}
		sources = append(sources, Source{Chart: c.Name(), Objects: objects, Origin: file.Origin})
	}
	return sources, unknown, nil
}

// Err returns an error for each pod and image without a node, and for those that were not judged.
func (r *Report) Err() error {
	errs := r.Unmet()
	for _, what := range r.Unknown {
		errs = append(errs, errors.New(what))
	}
	return errors.Join(errs...)
}
