package render

import (
	"slices"

	"carvel.dev/ytt/pkg/filepos"
	corev1 "k8s.io/api/core/v1"
)

// environment checks a container's variables: path is the container's, at has the document's
// leaves by field path.
func (c *checker) environment(n int, d Document, path []string, pos *filepos.Position, at map[string]leaf, container corev1.Container) {
	for i, from := range container.EnvFrom {
		if from.ConfigMapRef == nil {
			continue
		}
		l := leaf{path: append(slices.Clone(path), "envFrom", bracket(i, "")), pos: pos}
		m, ok := c.configMap(d.Namespace, from.ConfigMapRef.Name)
		switch {
		case ok:
			c.docs[m].leaves(func(l leaf) {
				if l.path[0] == "data" && len(l.path) == 2 {
					c.variable(m, l, from.Prefix+l.key())
				}
			})
		case from.ConfigMapRef.Optional == nil || !*from.ConfigMapRef.Optional:
			c.add(n, l, "ConfigMap %s is not in the release", from.ConfigMapRef.Name)
		}
	}
	for i, env := range container.Env {
		p := append(slices.Clone(path), "env", bracket(i, env.Name))
		if env.ValueFrom == nil {
			value, ok := at[fieldPath(append(p, "value"))]
			if !ok {
				value = leaf{path: append(p, "value"), pos: pos}
			}
			c.variable(n, value, env.Name)
			continue
		}
		if ref := env.ValueFrom.ConfigMapKeyRef; ref != nil {
			name := at[fieldPath(append(p, "valueFrom", "configMapKeyRef", "name"))]
			c.reference(n, d, name, env.Name, ref)
		}
	}
}

// variable notes a variable whose value stands at l, where it is an image.
func (c *checker) variable(n int, l leaf, name string) {
	if imageName(name) || pinned(l.value) {
		c.note(n, l, true, []string{name})
	}
}

// reference follows a variable to its ConfigMap. One that holds an image must be there even where
// it is optional.
func (c *checker) reference(n int, d Document, at leaf, variable string, ref *corev1.ConfigMapKeySelector) {
	optional := ref.Optional != nil && *ref.Optional && !imageName(variable)
	m, ok := c.configMap(d.Namespace, ref.Name)
	if !ok {
		if !optional {
			c.add(n, at, "ConfigMap %s is not in the release: %s would be empty", ref.Name, variable)
		}
		return
	}
	v, pos := c.docs[m].node([]string{"data", ref.Key})
	value, ok := v.(string)
	if !ok {
		if !optional {
			c.add(n, at, "ConfigMap %s has no key %s: %s would be empty", ref.Name, ref.Key, variable)
		}
		return
	}
	c.variable(m, leaf{path: []string{"data", ref.Key}, value: value, pos: pos}, variable)
}

// configMap returns the number of a ConfigMap's document.
func (c *checker) configMap(namespace, name string) (int, bool) {
	n := slices.IndexFunc(c.docs, func(d Document) bool {
		return d.Kind == "ConfigMap" && d.APIVersion == "v1" && d.Namespace == namespace && d.Name == name
	})
	return n, n >= 0
}
