package workload

import (
	"cmp"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// within notes the registry that the values of a chart set for all images below n, until the
// function is called: global.imageRegistry, by the convention of Bitnami's charts.
func (w *composedWalk) within(n *yaml.Node) (leave func()) {
	before := w.global
	group := n
	if n.Kind == yaml.SequenceNode {
		group = parameters(n)
	}
	global := scalars(group)("global.imageRegistry")
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "global" {
			global = cmp.Or(scalars(n.Content[i+1])("imageRegistry"), global)
		}
	}
	w.global = cmp.Or(global, before)
	return func() { w.global = before }
}

// registry returns an image with its own registry, of a neighboring field, or else that of its
// chart's values for all images. Charts differ in which of two registries they take: why says so
// then.
func (w *composedWalk) registry(own string, c candidate) (base, why string) {
	base = c.base
	switch {
	case c.own:
		return base, ""
	case own != "" && w.global != "" && own != w.global:
		why = fmt.Sprintf("registry is %s, and global.imageRegistry is %s: write the same one", own, w.global)
	case own == "" && !hasHost(base):
		own = w.global
	}
	if own != "" && !strings.HasPrefix(base, own+"/") {
		base = strings.TrimSuffix(own, "/") + "/" + base
	}
	return base, why
}
