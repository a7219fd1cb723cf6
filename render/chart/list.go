package chart

import (
	"bytes"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// WithListed returns the chart with the images in the annotations that list them:
// artifacthub.io/images (https://artifacthub.io/docs/topics/annotations/helm/) and helm.sh/images
// (https://helm.sh/community/hips/hip-0015). Entries of a list stay, with their images as pin
// returns them: a chart may start images that no template names. Without images, no annotation is
// added. Comments and order of Chart.yaml stay, too. A malformed Chart.yaml or list is an error.
func (c *Chart) WithListed(images []string, pin func(reference string) string) (*Chart, error) {
	f, _ := c.file(chartFile)
	read := yamlfile.Read(f.Shown, f.Data, bounds)
	if err := read.Err(); err != nil {
		return nil, err
	}
	root := read.Documents[0]
	annotations := yamlfile.Value(root, "annotations")
	if annotations == nil || annotations.Tag == "!!null" {
		annotations = setNode(root, "annotations", &yaml.Node{Kind: yaml.MappingNode})
	}
	for _, l := range c.Listed() {
		if l.Fault != "" {
			var wrong yamlfile.Errors
			wrong.At(l.Pos, "%s cannot be added to: %s", l.Annotation, l.Fault)
			return nil, wrong.Err()
		}
	}
	for _, annotation := range listings {
		var list yaml.Node
		was := yamlfile.Value(annotations, annotation)
		if was == nil && len(images) == 0 {
			continue
		}
		if was != nil {
			if err := yaml.Unmarshal([]byte(was.Value), &list); err != nil {
				return nil, err
			}
		}
		text, err := encode(extended(&list, images, pin))
		if err != nil {
			return nil, err
		}
		setNode(annotations, annotation, &yaml.Node{
			Kind: yaml.ScalarNode, Tag: "!!str", Value: string(text), Style: yaml.LiteralStyle,
		})
	}
	data, err := encode(root)
	if err != nil {
		return nil, err
	}
	return newChart(c.shown, c.with(chartFile, data).files)
}

// extended returns a list with the images, each once.
func extended(document *yaml.Node, images []string, pin func(string) string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	if len(document.Content) > 0 {
		list = document.Content[0]
	}
	has := map[string]bool{}
	for _, e := range list.Content {
		if i := yamlfile.Value(e, "image"); i != nil {
			i.Value = pin(i.Value)
			has[i.Value] = true
		}
	}
	for _, image := range images {
		if has[image] {
			continue
		}
		base, _, _ := strings.Cut(image, "@")
		repository, _ := splitTag(base)
		e := &yaml.Node{Kind: yaml.MappingNode}
		setNode(e, "name", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: path.Base(repository)})
		setNode(e, "image", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: image})
		list.Content = append(list.Content, e)
	}
	return list
}

// setNode sets a field of a mapping, at its end if it is new, and returns its value.
func setNode(mapping *yaml.Node, key string, value *yaml.Node) *yaml.Node {
	for n := 0; n+1 < len(mapping.Content); n += 2 {
		if mapping.Content[n].Value == key {
			mapping.Content[n+1] = value
			return value
		}
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
	return value
}

func encode(n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}
