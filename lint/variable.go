package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// variables looks at the environment of a pod's containers: it notes the values that are images,
// also in ConfigMaps, and reports ConfigMaps and keys that a release lacks.
func (c *checker) variables(p *pod) {
	namespace := c.objects[p.object].Namespace
	for _, container := range workload.Containers(p.spec) {
		for i, from := range container.EnvFrom {
			if from.ConfigMapRef == nil {
				continue
			}
			n, data := c.configMap(namespace, from.ConfigMapRef.Name)
			for _, key := range slices.Sorted(maps.Keys(data)) {
				c.variableInMap(n, key, data[key], from.Prefix+key)
			}
			if n < 0 && !isTrue(from.ConfigMapRef.Optional) {
				c.missingMap(p, from.ConfigMapRef.Name, "the container would not start", slices.Concat(container.Path, []any{"envFrom", i}), false)
			}
		}
		for i, env := range container.Env {
			path := slices.Concat(container.Path, []any{"env", i})
			switch {
			case env.ValueFrom == nil:
				if workload.IsImageVariable(env.Name, env.Value) {
					value := slices.Concat(path, []any{"value"})
					c.note(textKey{p.object, p.Path(value...)}, p.At(value...), env.Value).called(env.Name)
				}
			case env.ValueFrom.ConfigMapKeyRef != nil:
				c.variableFromMap(p, slices.Concat(path, []any{"valueFrom", "configMapKeyRef", "name"}), namespace, env)
			}
		}
	}
}

// variableFromMap follows a variable to its ConfigMap.
func (c *checker) variableFromMap(p *pod, path []any, namespace string, env corev1.EnvVar) {
	ref := env.ValueFrom.ConfigMapKeyRef
	image := workload.IsImageVariable(env.Name, "")
	optional := isTrue(ref.Optional) && !image
	n, data := c.configMap(namespace, ref.Name)
	value, ok := data[ref.Key]
	switch {
	case ok:
		c.variableInMap(n, ref.Key, value, env.Name)
	case optional:
	case n < 0:
		c.missingMap(p, ref.Name, env.Name+" would be empty", path, image)
	case c.release():
		c.inPod(p, rule("config-map-missing"), fmt.Sprintf("ConfigMap %s has no key %s: %s would be empty", ref.Name, ref.Key, env.Name), path...)
	}
}

// variableInMap notes the value of a ConfigMap that a variable takes, if it is an image.
func (c *checker) variableInMap(object int, key, value, variable string) {
	if !workload.IsImageVariable(variable, value) {
		return
	}
	o := c.objects[object]
	id := textKey{object, yamlfile.Path(o.Path, "data", key)}
	c.note(id, o.At("data", key), value).called(variable)
}

// missingMap reports a ConfigMap that is not in the release. An operator may make it when it runs,
// which no manifest states. That is not so of one with an image, since a release pins those, nor
// of a name that the release has in another namespace.
func (c *checker) missingMap(p *pod, name, consequence string, path []any, image bool) {
	if !c.release() {
		return
	}
	if n := slices.IndexFunc(c.objects, func(o workload.Object) bool {
		_, ok := o.Typed.(*corev1.ConfigMap)
		return ok && o.Name == name
	}); n >= 0 {
		c.inPod(p, rule("config-map-missing"), fmt.Sprintf("ConfigMap %s is not in the release in this namespace, but in %s: %s", name, cmp.Or(c.objects[n].Namespace, "default"), consequence), path...)
		return
	}
	r := rule("config-map-external")
	if image {
		r = rule("config-map-missing")
	}
	c.inPod(p, r, fmt.Sprintf("ConfigMap %s is not in the release: %s", name, consequence), path...)
}

// configMap returns the number and the data of a ConfigMap; -1 if there is none.
func (c *checker) configMap(namespace, name string) (int, map[string]string) {
	for n, o := range c.objects {
		if m, ok := o.Typed.(*corev1.ConfigMap); ok && o.Namespace == namespace && o.Name == name {
			return n, m.Data
		}
	}
	return -1, nil
}

func isTrue(b *bool) bool { return b != nil && *b }
