package chart

import "path"

// EditValues returns the chart with the values that edit returns for each of its values.yaml, its
// own and those of its subcharts. The name is for messages.
func (c *Chart) EditValues(edit func(name string, text []byte) ([]byte, error)) (*Chart, error) {
	changed := c
	for _, f := range c.valuesFiles() {
		text, err := edit(f.Shown, f.Data)
		if err != nil {
			return nil, err
		}
		changed = changed.with(f.Path, text)
	}
	return newChart(c.shown, changed.files)
}

// valuesFiles returns each values.yaml, that of the chart and those of its subcharts.
func (c *Chart) valuesFiles() (all []File) {
	for _, f := range c.files {
		if path.Base(f.Path) == valuesFile && isRoot(path.Dir(f.Path)) {
			all = append(all, f)
		}
	}
	return all
}

// isRoot reports whether a directory of a chart is its own or that of a subchart: charts/NAME, at
// any level.
func isRoot(dir string) bool {
	for dir != "." {
		if path.Base(path.Dir(dir)) != path.Base(subcharts) {
			return false
		}
		dir = path.Dir(path.Dir(dir))
	}
	return true
}
