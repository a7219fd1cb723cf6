package chart

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// SetVersion returns the chart with another version and appVersion in Chart.yaml; one that is ""
// stays. Comments and order stay, too.
func (c *Chart) SetVersion(version, appVersion string) (*Chart, error) {
	f, _ := c.file(chartFile)
	data := f.Data
	for _, v := range []struct{ field, value string }{{"version", version}, {"appVersion", appVersion}} {
		if v.value == "" {
			continue
		}
		var err error
		if data, err = setField(f.Shown, data, v.field, v.value); err != nil {
			return nil, err
		}
	}
	return newChart(c.shown, c.with(chartFile, data).files)
}

// setField sets a field at the top of a file, or adds it at the end.
func setField(name string, data []byte, field, value string) ([]byte, error) {
	read := yamlfile.Read(name, data, bounds)
	if err := read.Err(); err != nil {
		return nil, err
	}
	node := yamlfile.Value(read.Documents[0], field)
	if node == nil {
		end := ""
		if !bytes.HasSuffix(data, []byte("\n")) {
			end = "\n"
		}
		return append(bytes.Clone(data), (end + field + ": " + scalar(value, 0) + "\n")...), nil
	}
	return setScalar(name, data, node, value)
}

// setScalar writes another value in place of a scalar.
func setScalar(name string, data []byte, n *yaml.Node, value string) ([]byte, error) {
	if n.Kind == yaml.ScalarNode && n.Value == value && n.Tag == "!!str" {
		return data, nil
	}
	start, end, ok := yamlfile.Extent(data, n)
	if !ok {
		return nil, fmt.Errorf("%s:%d:%d: %s cannot be changed in place: "+
			"write it as a plain or quoted scalar on one line", name, n.Line, n.Column, output.Excerpt(n.Value, 100))
	}
	text := scalar(value, n.Style)
	if start == end { // an empty value, whose place is behind the colon
		text = " " + text
	}
	return bytes.Join([][]byte{data[:start], []byte(text), data[end:]}, nil), nil
}

// scalar writes a string in the style of the replaced scalar, if that style allows it.
func scalar(value string, style yaml.Style) string {
	var read yaml.Node
	plain := yaml.Unmarshal([]byte(value), &read) == nil && len(read.Content) == 1 &&
		read.Content[0].Kind == yaml.ScalarNode &&
		read.Content[0].Tag == "!!str" && read.Content[0].Value == value && !strings.ContainsAny(value, "\n#,[]{}")
	switch {
	case style&yaml.SingleQuotedStyle != 0:
		return "'" + strings.ReplaceAll(value, "'", "''") + "'"
	case style&yaml.DoubleQuotedStyle == 0 && plain:
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
