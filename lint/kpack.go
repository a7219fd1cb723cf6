package lint

import (
	"slices"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/render/workload"
)

func kpackSelector(p *pod, report reportFunc) {
	if _, ok := p.Spec.NodeSelector[corev1.LabelOSStable]; ok && p.kpack {
		report("", "nodeSelector", corev1.LabelOSStable)
	}
}

// windowsTaints are the usual taints of Windows nodes.
var windowsTaints = []corev1.Taint{
	{Key: "os", Value: windows, Effect: corev1.TaintEffectNoSchedule},
	{Key: "node.kubernetes.io/os", Value: windows, Effect: corev1.TaintEffectNoSchedule},
}

// kpackTolerations checks kpack's kinds whose builds run on Windows. A RuntimeClass that the
// manifest lacks may add tolerations.
func (m *manifests) kpackTolerations(images lock.Catalog) (all []problem) {
	for _, p := range m.pods {
		tolerated := func(t corev1.Taint) bool { return workload.Tolerates(p.spec, t) }
		if !p.kpack || slices.ContainsFunc(windowsTaints, tolerated) {
			continue
		}
		if name := p.spec.RuntimeClassName; name != nil {
			if _, ok := m.classes[*name]; !ok {
				continue
			}
		}
		if m.buildsOnWindows(p, images) {
			all = append(all, problem{place: p.place([]any{"tolerations"}), rule: "kpack-windows-toleration"})
		}
	}
	return all
}

// buildsOnWindows reports whether kpack will start a build's pod on Windows: if the pod selects
// Windows, or if the builder, or the stack of a builder in the manifest, is for Windows according
// to the lock or to its name.
func (m *manifests) buildsOnWindows(p *pod, images lock.Catalog) bool {
	if slices.Contains(p.os, windows) {
		return true
	}
	// forWindows reports whether an image at a path is for Windows only
	forWindows := func(n *yaml.Node, path ...any) bool {
		ref := yamlfile.Text(n, path...)
		if i, ok := images.Find(ref); ok {
			return slices.ContainsFunc(i.Platforms, on(windows)) && !slices.ContainsFunc(i.Platforms, on(linux))
		}
		return workload.IsWindowsName(ref)
	}
	o := m.objects[p.object]
	if p.Kind == workload.KpackBuild {
		return forWindows(o.Node, "spec", "builder", "image")
	}
	builder := yamlfile.Value(o.Node, "spec", "builder")
	name, kind := yamlfile.Text(builder, "name"), yamlfile.Text(builder, "kind")
	if workload.IsWindowsName(name) {
		return true
	}
	for _, b := range m.objects {
		if b.Kind != kind || b.Name != name || b.Kind == "Builder" && b.Namespace != o.Namespace {
			continue
		}
		stack := yamlfile.Text(b.Node, "spec", "stack", "name")
		if workload.IsWindowsName(stack) || forWindows(b.Node, "spec", "tag") {
			return true
		}
		for _, s := range m.objects {
			if s.Kind != "ClusterStack" || s.Name != stack {
				continue
			}
			if workload.IsWindowsName(yamlfile.Text(s.Node, "spec", "id")) ||
				forWindows(s.Node, "spec", "buildImage", "image") || forWindows(s.Node, "spec", "runImage", "image") {
				return true
			}
		}
	}
	return false
}
