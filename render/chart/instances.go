package chart

import (
	"errors"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// instances returns the paths of a chart's values in those of the top chart: the names of the
// charts above it and its own, which are what the chart above calls each. A dependency that is
// listed with several aliases has several.
func (c *Chart) instances(dir string) [][]any {
	if dir == "." {
		return [][]any{nil}
	}
	above := path.Dir(path.Dir(dir))
	var all [][]any
	for _, prefix := range c.instances(above) {
		for _, called := range c.called(dir, above) {
			all = append(all, append(slices.Clone(prefix), any(called)))
		}
	}
	return all
}

// called returns what a chart calls one of its subcharts.
func (c *Chart) called(dir, above string) []string {
	var own struct{ Name, Version string }
	c.decode(path.Join(dir, chartFile), &own)
	var names []string
	for _, file := range []string{chartFile, "requirements.yaml"} {
		var m struct {
			Dependencies []struct{ Name, Version, Alias string }
		}
		c.decode(path.Join(above, file), &m)
		for _, d := range m.Dependencies {
			if d.Name != own.Name || !engine.Compatible(d.Version, own.Version) {
				continue
			}
			if d.Alias == "" {
				d.Alias = d.Name
			}
			if !slices.Contains(names, d.Alias) {
				names = append(names, d.Alias)
			}
		}
	}
	if len(names) == 0 {
		return []string{own.Name}
	}
	return names
}

// decode reads a file of YAML, which Helm has read before.
func (c *Chart) decode(name string, into any) {
	if f, ok := c.file(name); ok {
		yaml.Unmarshal(f.Data, into) //nolint:errcheck // Helm has refused what cannot be read
	}
}

// chartOf returns the path of the values of a template's chart, by the name that Helm's engine
// gives the template: app/charts/one/templates/a.yaml is of one.
func chartOf(template string) (names []any) {
	steps := strings.Split(template, "/")
	for n := 1; n+1 < len(steps) && steps[n] == path.Base(subcharts); n += 2 {
		names = append(names, steps[n+1])
	}
	return names
}

// rootOf returns the directory of the chart that a file is of.
func rootOf(file string) string {
	steps := strings.Split(file, "/")
	n := 0
	for n+2 < len(steps) && steps[n] == path.Base(subcharts) {
		n += 2
	}
	return path.Join(append([]string{"."}, steps[:n]...)...)
}

// alone reports a change for a use that a mapping names, at a place that several names of a chart
// share, if the mapping does not name all of them. A value that is replaced for the others may
// change.
func (p *pinner) alone(u use, charts [][]any, v *value) error {
	m, at := p.mapping(u)
	if m == nil || len(charts) < 2 {
		return nil
	}
	of := slices.IndexFunc(charts, func(chart []any) bool { return below(at, yamlfile.Path("", chart...)) })
	for _, chart := range charts {
		if of < 0 || !p.maps(yamlfile.Path("", chart...)+strings.TrimPrefix(at, yamlfile.Path("", charts[of]...)),
			m.Image) && !p.replaced(v, chart) {
			return errShared
		}
	}
	return nil
}

// repeated returns two paths of a value that aliases of YAML repeat, if only the first is mapped
// to the image of a use.
func (p *pinner) repeated(u use) (at, other string) {
	m, _ := p.mapping(u)
	if m == nil {
		return "", ""
	}
	for _, t := range p.parts[u.key()] {
		if t.value == nil || len(t.value.also) == 0 {
			continue
		}
		for _, chart := range t.value.of(u.Template) {
			for _, way := range t.value.ways(chart) {
				if p.maps(way, m.Image) {
					at = way
				} else {
					other = way
				}
			}
			if at != "" && other != "" {
				return at, other
			}
		}
	}
	return "", ""
}

// errShared is that of a change which would reach a use that a mapping does not name.
var errShared = errors.New("several names of a chart share the text")

// maps reports whether a value is mapped to an image.
func (p *pinner) maps(at string, i Image) bool {
	return slices.ContainsFunc(p.options.Mappings, func(m Mapping) bool { return m.Image == i && below(at, m.Path) })
}

// replaced reports whether a chart above has another value for one of a subchart.
func (p *pinner) replaced(v *value, chart []any) bool {
	return v != nil && slices.ContainsFunc(p.chart.allValues(), func(o *value) bool {
		return o.file != v.file &&
			slices.ContainsFunc(o.charts, func(above []any) bool { return o.at(above) == v.at(chart) })
	})
}
