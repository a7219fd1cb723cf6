package engine

import (
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/render/workload"
)

// References calls each for the strings of the objects in a text.
func (helmEngine) References(name, text string, each func(chart.Reference)) {
	for _, root := range workload.Documents(name, []byte(text)) {
		o := workload.Object{
			APIVersion: yamlfile.Text(root, "apiVersion"), Kind: yamlfile.Text(root, "kind"), Node: root,
		}
		o.Texts(func(s workload.Text) {
			each(chart.Reference{
				Line: s.Pos.Line, Path: s.Path(), Value: s.Value,
				Field: workload.IsImageField(o.APIVersion, o.Kind, s.Keys, s.Value),
			})
		})
	}
}
