//go:build linux

package explore

import (
	"encoding/json"
	"os"
	"strings"
)

// schema has the paths of the keys of slipway.yaml.
type schema struct{ paths map[string]bool }

// readSchema reads them from the schema for editors.
func readSchema() (*schema, error) {
	text, err := os.ReadFile("../../product/slipway.schema.json")
	if err != nil {
		return nil, err
	}
	type node struct {
		Ref        string           `json:"$ref"`
		Properties map[string]*node `json:"properties"`
		Items      *node            `json:"items"`
		Defs       map[string]*node `json:"$defs"`
	}
	var root node
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	s := &schema{paths: map[string]bool{}}
	var walk func(n *node, path string)
	walk = func(n *node, path string) {
		if of, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
			n = root.Defs[of]
		}
		for k, v := range n.Properties {
			at := strings.TrimPrefix(path+"."+k, ".")
			s.paths[at] = true
			walk(v, at)
		}
		if n.Items != nil {
			walk(n.Items, path+"[]")
		}
	}
	walk(&root, "")
	return s, nil
}

// has reports whether a path is that of a key.
func (s *schema) has(path string) bool { return s.paths[path] }
