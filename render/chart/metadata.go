package chart

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// bounds are those of Chart.yaml, Chart.lock and values.yaml.
var bounds = yamlfile.Options{
	MaxBytes: 4 << 20, MaxValues: 200_000, MaxText: 16 << 20, MaxDepth: 100,
	MergeKeys: true, Start: "write what Helm needs there",
}

// checkMetadata reports what Helm refuses in Chart.yaml, with its place.
func (c *Chart) checkMetadata() error {
	f, ok := c.file(chartFile)
	if !ok {
		return fmt.Errorf("%s has no %s: name the directory of a chart, or a .tgz", c.shown, chartFile)
	}
	read := yamlfile.Read(f.Shown, f.Data, bounds)
	if err := read.Err(); err != nil {
		return err
	}
	root := read.Documents[0]
	var m struct {
		APIVersion string `json:"apiVersion"`
	}
	if err := k8syaml.Unmarshal(f.Data, &m); err != nil {
		return fmt.Errorf("%s: %s: correct it", f.Shown, output.Line(err.Error()))
	}
	if m.APIVersion != "" && m.APIVersion != "v1" && m.APIVersion != "v2" {
		return fmt.Errorf("%s: apiVersion %s is unknown: charts have v2, old ones v1", place(f, root, "apiVersion"),
			output.Line(m.APIVersion))
	}
	if err := engine.Validate(f.Data); err != nil {
		text := output.Line(strings.TrimPrefix(err.Error(), "validation: "))
		field := "name"
		if strings.Contains(text, "version") {
			field = "version"
		}
		return fmt.Errorf("%s: %s: correct it; helm lint shows more", place(f, root, field), text)
	}
	return nil
}

// place returns the position of a field of a file, or of the nearest one around it.
func place(f File, root *yaml.Node, path ...any) yamlfile.Pos {
	_, at, _ := yamlfile.Find(root, path...)
	return yamlfile.Pos{File: f.Shown, Line: max(at.Line, 1), Column: max(at.Column, 1)}
}
