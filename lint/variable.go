package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/workload"
)

// environment is what the variables of all pods are.
type environment struct {
	*manifests
	images   []*imageText // values that are images, also in ConfigMaps
	problems []problem    // ConfigMaps and keys that the manifests lack
}

// environment looks at the environment of the containers of all pods.
func (m *manifests) environment() environment {
	e := environment{manifests: m}
	for _, p := range m.pods {
		for _, c := range workload.Containers(p.spec) {
			for i, from := range c.EnvFrom {
				if from.ConfigMapRef != nil {
					e.all(p, from, slices.Concat(c.Path, []any{"envFrom", i}))
				}
			}
			for i, env := range c.Env {
				path := slices.Concat(c.Path, []any{"env", i})
				switch {
				case env.ValueFrom == nil:
					e.image(p.place(append(path, "value")), env.Name, env.Value)
				case env.ValueFrom.ConfigMapKeyRef != nil:
					e.one(p, env, append(path, "valueFrom", "configMapKeyRef", "name"))
				}
			}
		}
	}
	return e
}

// all follows the variables of a ConfigMap.
func (e *environment) all(p *pod, from corev1.EnvFromSource, path []any) {
	n, data := e.configMap(e.objects[p.object].Namespace, from.ConfigMapRef.Name)
	for _, key := range slices.Sorted(maps.Keys(data)) {
		e.image(e.inMap(n, key), from.Prefix+key, data[key])
	}
	if n < 0 && !isTrue(from.ConfigMapRef.Optional) {
		e.missing(p, from.ConfigMapRef.Name, "the container would not start", path, false)
	}
}

// one follows a variable to its ConfigMap.
func (e *environment) one(p *pod, env corev1.EnvVar, path []any) {
	ref := env.ValueFrom.ConfigMapKeyRef
	image := workload.IsImageVariable(env.Name, "")
	n, data := e.configMap(e.objects[p.object].Namespace, ref.Name)
	value, ok := data[ref.Key]
	switch {
	case ok:
		e.image(e.inMap(n, ref.Key), env.Name, value)
	case isTrue(ref.Optional) && !image:
	case n < 0:
		e.missing(p, ref.Name, env.Name+" would be empty", path, image)
	default:
		e.problems = append(e.problems, problem{
			place: p.place(path), rule: "config-map-missing",
			what: fmt.Sprintf("ConfigMap %s has no key %s: %s would be empty", ref.Name, ref.Key, env.Name),
		})
	}
}

// image notes the value of a variable, if it is an image.
func (e *environment) image(at place, variable, value string) {
	if workload.IsImageVariable(variable, value) {
		e.images = append(e.images, &imageText{place: at, value: value, image: true, names: []string{variable}})
	}
}

// missing reports a ConfigMap that is not in the release. An operator may make it when it runs,
// which no manifest states. That is not so of one with an image, since a release pins those, nor
// of a name that the release has in another namespace.
func (e *environment) missing(p *pod, name, consequence string, path []any, image bool) {
	id, where := "config-map-external", ""
	if image {
		id = "config-map-missing"
	}
	for _, o := range e.objects {
		if _, ok := o.Typed.(*corev1.ConfigMap); ok && o.Name == name {
			id, where = "config-map-missing", " in this namespace, but in "+cmp.Or(o.Namespace, "default")
			break
		}
	}
	what := fmt.Sprintf("ConfigMap %s is not in the release%s: %s", name, where, consequence)
	e.problems = append(e.problems, problem{place: p.place(path), rule: id, what: what})
}

// configMap returns the number and the data of a ConfigMap; -1 if there is none.
func (e *environment) configMap(namespace, name string) (int, map[string]string) {
	for n, o := range e.objects {
		if m, ok := o.Typed.(*corev1.ConfigMap); ok && o.Namespace == namespace && o.Name == name {
			return n, m.Data
		}
	}
	return -1, nil
}

// inMap returns the place of a key of a ConfigMap.
func (e *environment) inMap(n int, key string) place {
	return place{n, yamlfile.Path(e.objects[n].Path, "data", key), e.objects[n].At("data", key)}
}

func isTrue(b *bool) bool { return b != nil && *b }
