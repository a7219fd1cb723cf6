package chart

import (
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Listed is the list of images in an annotation of Chart.yaml.
type Listed struct {
	Annotation string // artifacthub.io/images or helm.sh/images
	Pos        yamlfile.Pos
	Images     []string // references
	Fault      string   // why it is not a list; "" if it is one
}

// listings are the annotations that list a chart's images: that of Artifact Hub
// (https://artifacthub.io/docs/topics/annotations/helm/), and that of Helm plugins. Both are lists
// of objects with the fields name and image.
var listings = []string{"artifacthub.io/images", "helm.sh/images"}

// Listed returns the lists of images that the annotations of the chart have.
func (c *Chart) Listed() (all []Listed) {
	f, ok := c.file(chartFile)
	if !ok {
		return nil
	}
	read := yamlfile.Read(f.Shown, f.Data, bounds)
	if read.Err() != nil || len(read.Documents) == 0 {
		return nil
	}
	root := read.Documents[0]
	for _, annotation := range listings {
		n := yamlfile.Value(root, "annotations", annotation)
		if n == nil || n.Kind != yaml.ScalarNode {
			continue
		}
		l := Listed{Annotation: annotation, Pos: place(f, root, "annotations", annotation)}
		text := yamlfile.Read(f.Shown, []byte(n.Value), bounds)
		if text.Err() != nil || len(text.Documents) != 1 || text.Documents[0].Kind != yaml.SequenceNode {
			l.Fault = "it is not a list of images in YAML"
			all = append(all, l)
			continue
		}
		for _, e := range text.Documents[0].Content {
			if image := yamlfile.Text(e, "image"); image != "" {
				l.Images = append(l.Images, image)
			}
		}
		all = append(all, l)
	}
	return all
}
