package scaffold

import (
	"fmt"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
)

// since compares the slipway.yaml that is there with the repository: a line for each Dockerfile and
// chart that it lacks, and for each that it names and that is gone.
func (d *Draft) since() (lines []string) {
	docs := d.yaml(product.File)
	if len(docs) == 0 {
		return nil
	}
	var has []string
	note := func(n *yaml.Node) {
		if n != nil && n.Kind == yaml.ScalarNode {
			has = append(has, path.Clean(n.Value))
		}
	}
	for _, i := range items(docs[0], "images") {
		note(yamlfile.Value(i, "dockerfile", "file"))
		for _, file := range pairs(yamlfile.Value(i, "dockerfile", "files")) {
			note(file)
		}
	}
	for _, c := range items(docs[0], "charts") {
		note(yamlfile.Value(c, "path"))
	}
	for _, p := range has {
		if !d.tree.has(p) && !d.tree.hasDir(p) {
			lines = append(lines, fmt.Sprintf("it names %s, which is gone", p))
		}
	}
	for _, i := range d.images {
		for _, os := range sortedKeys(i.dockerfiles) {
			if f := i.dockerfiles[os]; !slices.Contains(has, f) {
				lines = append(lines, fmt.Sprintf("it lacks %s, image %s for %s", f, i.name, os))
			}
		}
	}
	for _, c := range d.chart {
		if !slices.Contains(has, c.path) {
			lines = append(lines, fmt.Sprintf("it lacks %s, the chart %s", c.path, c.name))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
