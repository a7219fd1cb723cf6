package render

import (
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// loaded are the endings of files that templates of ytt load, and that give no documents.
var loaded = []string{".star", ".txt"}

func isJSON(name string) bool { return strings.EqualFold(path.Ext(name), ".json") }

// asYAML returns the name by which ytt reads a file as YAML, which JSON is, too.
func asYAML(name string) string {
	ext := path.Ext(name)
	switch strings.ToLower(ext) {
	case ".yaml", ".yml":
		return strings.TrimSuffix(name, ext) + strings.ToLower(ext)
	case ".json":
		return name + ".yaml"
	}
	return name
}

// isObject reports whether a JSON file has an object of Kubernetes, or is not JSON, which reading
// it reports. A directory may have others, such as dashboards.
func isObject(text []byte) bool {
	var n yaml.Node
	if yaml.Unmarshal(text, &n) != nil || n.Kind != yaml.DocumentNode {
		return true
	}
	var head struct {
		APIVersion any `yaml:"apiVersion"`
		Kind       any `yaml:"kind"`
	}
	return n.Decode(&head) == nil && (head.APIVersion != nil || head.Kind != nil)
}

// list names at most twenty files.
func list(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
