package chart

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// depend adds the dependencies at file:// paths of the tree, and checks that all are there.
func (c *Chart) depend(l Location, depth int) (*Chart, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("chart %s: file:// dependencies nest too deep: does one depend on itself?", c.shown)
	}
	files := c.files
	for i, d := range c.loaded.Dependencies {
		dir, ok := strings.CutPrefix(d.Repository, "file://")
		if !ok || d.Present {
			continue
		}
		at, shown := path.Join(l.Path, dir), path.Join(c.shown, dir)
		if strings.HasPrefix(at, "..") || path.IsAbs(dir) {
			return nil, fmt.Errorf("%s: dependency %s at %s leads out of the tree of the chart: copy it into charts/",
				c.dependencyPlace(i), output.Line(d.Name), output.Line(d.Repository))
		}
		sub, err := load(Location{Tree: l.Tree, Path: at, Shown: shown}, depth+1)
		if err != nil {
			return nil, fmt.Errorf("%s: dependency %s: %w", c.dependencyPlace(i), output.Line(d.Name), err)
		}
		files = append(slices.Clone(files), sub.below(subcharts+sub.Name())...)
	}
	if len(files) > maxFiles {
		return nil, tooLarge(c.shown)
	}
	c, err := newChart(c.shown, files)
	if err != nil {
		return nil, err
	}
	return c, c.complete()
}

// complete reports dependencies that the chart lacks, and those that are not what Chart.lock has.
func (c *Chart) complete() error {
	for i, d := range c.loaded.Dependencies {
		if !d.Present {
			from := ""
			if d.Repository != "" {
				from = " of " + output.Line(d.Repository)
			}
			return fmt.Errorf("%s: dependency %s %s%s is not in charts/: "+
				"run helm dependency build %s and keep charts/ with the chart",
				c.dependencyPlace(i), output.Line(d.Name), output.Line(d.Version), from, c.shown)
		}
	}
	return c.loaded.Conflict
}

// dependencyPlace returns the position of the i-th dependency.
func (c *Chart) dependencyPlace(i int) yamlfile.Pos {
	for _, name := range []string{chartFile, "requirements.yaml"} {
		f, ok := c.file(name)
		if !ok {
			continue
		}
		read := yamlfile.Read(f.Shown, f.Data, bounds)
		if len(read.Documents) > 0 && yamlfile.Value(read.Documents[0], "dependencies", i) != nil {
			return place(f, read.Documents[0], "dependencies", i)
		}
	}
	return yamlfile.Pos{File: path.Join(c.shown, chartFile), Line: 1, Column: 1}
}
