package workload

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// LinkValues marks the ConfigMaps and Secrets of which others among the objects take values of Helm
// charts, for [Object.Composed]: valuesFrom of HelmRelease and valuesSecrets of HelmChart. The
// HelmReleases get the single values, those with a targetPath. [Read] does it for those of a file.
func LinkValues(objects []Object) {
	keys := map[source][]string{}
	for n, o := range objects {
		group, _, _ := strings.Cut(o.APIVersion, "/")
		switch {
		case group == "helm.toolkit.fluxcd.io" && o.Kind == "HelmRelease":
			objects[n].single = singles(o, objects)
			for _, from := range items(o.Node, "spec", "valuesFrom") {
				at := source{yamlfile.Text(from, "kind"), o.Namespace, yamlfile.Text(from, "name")}
				if yamlfile.Text(from, "targetPath") == "" { // else it is one value
					keys[at] = append(keys[at], cmp.Or(yamlfile.Text(from, "valuesKey"), "values.yaml"))
				}
			}
		case group == "helm.cattle.io":
			for _, from := range items(o.Node, "spec", "valuesSecrets") {
				at := source{"Secret", o.Namespace, yamlfile.Text(from, "name")}
				for _, key := range items(from, "keys") {
					keys[at] = append(keys[at], key.Value)
				}
			}
		}
	}
	for n, o := range objects {
		if o.APIVersion == "v1" {
			objects[n].values = keys[source{o.Kind, o.Namespace, o.Name}]
		}
	}
}

// source is an object that values are taken from.
type source struct{ kind, namespace, name string }

func items(n *yaml.Node, path ...any) []*yaml.Node {
	if list := yamlfile.Value(n, path...); list != nil && list.Kind == yaml.SequenceNode {
		return list.Content
	}
	return nil
}

// data reads the values of Helm charts that a ConfigMap or a Secret has.
func (w *composedWalk) data() {
	for _, field := range []string{"data", "stringData"} {
		group := yamlfile.Value(w.object.Node, field)
		for i := 0; len(w.object.values) > 0 && group != nil && i+1 < len(group.Content); i += 2 {
			key, value := group.Content[i].Value, group.Content[i+1]
			if !slices.Contains(w.object.values, key) || value.Kind != yaml.ScalarNode {
				continue
			}
			if value = w.object.decoded(field, value); value != nil {
				w.text(value, []any{field, key})
			}
		}
	}
}

// decoded returns a value of the data of a ConfigMap or a Secret; nil if it is not base64.
func (o Object) decoded(field string, value *yaml.Node) *yaml.Node {
	if o.Kind != "Secret" || field != "data" {
		return value
	}
	text, err := base64.StdEncoding.DecodeString(value.Value)
	if err != nil {
		return nil
	}
	decoded := *value
	decoded.Value, decoded.Style = string(text), 0
	return &decoded
}
