package workload

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// parts are the values of an object that are the tag or the digest of an image which another field
// names. None is a reference by itself, although v1@sha256:… looks like one.
type parts struct {
	nodes map[*yaml.Node]bool
	texts map[string]bool
}

func newParts() *parts { return &parts{map[*yaml.Node]bool{}, map[string]bool{}} }

// add adds the tags and digests of a group of fields; a version is one if a field names an image.
func (p *parts) add(n *yaml.Node, image bool) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		words, value := Words(n.Content[i].Value), n.Content[i+1]
		if len(words) == 0 || value.Kind != yaml.ScalarNode || strings.Contains(value.Value, "/") {
			continue
		}
		last := words[len(words)-1]
		if slices.Contains([]string{"tag", "digest"}, last) || image && last == "version" {
			p.nodes[value] = true
			p.texts[strings.TrimSpace(yamlfile.Key(value))] = true
		}
	}
}

// Versions returns the tags and digests in an object and in the YAML of its fields that belong to
// images which other fields name. None of them is a reference.
func (o Object) Versions() map[string]bool { return o.compose(func(Composed) {}).texts }
