package lint

import (
	"slices"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/internal/yamlfile"
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
func (c *checker) kpackTolerations(p *pod) {
	if !p.kpack || slices.ContainsFunc(windowsTaints, func(t corev1.Taint) bool { return workload.Tolerates(p.spec, t) }) || !c.buildsOnWindows(p) {
		return
	}
	if name := p.spec.RuntimeClassName; name != nil {
		if _, ok := c.classes[*name]; !ok {
			return
		}
	}
	c.inPod(p, rule("kpack-windows-toleration"), "", "tolerations")
}

// buildsOnWindows reports whether kpack will start a build's pod on Windows: if the pod selects
// Windows, or if the builder, or the stack of a builder in the manifest, is for Windows according
// to the lock or to its name.
func (c *checker) buildsOnWindows(p *pod) bool {
	if slices.Contains(p.os, windows) {
		return true
	}
	o := c.objects[p.object]
	if p.Kind == workload.KpackBuild {
		return c.windowsImage(yamlfile.Text(o.Node, "spec", "builder", "image"))
	}
	builder := yamlfile.Value(o.Node, "spec", "builder")
	if workload.IsWindowsName(yamlfile.Text(builder, "name")) {
		return true
	}
	for _, b := range c.objects {
		if b.Kind != yamlfile.Text(builder, "kind") || b.Name != yamlfile.Text(builder, "name") || b.Kind == "Builder" && b.Namespace != o.Namespace {
			continue
		}
		stack := yamlfile.Text(b.Node, "spec", "stack", "name")
		if workload.IsWindowsName(stack) || c.windowsImage(yamlfile.Text(b.Node, "spec", "tag")) {
			return true
		}
		for _, s := range c.objects {
			if s.Kind == "ClusterStack" && s.Name == stack && c.windowsStack(s.Node) {
				return true
			}
		}
	}
	return false
}

func (c *checker) windowsStack(n *yaml.Node) bool {
	return workload.IsWindowsName(yamlfile.Text(n, "spec", "id")) || c.windowsImage(yamlfile.Text(n, "spec", "buildImage", "image")) || c.windowsImage(yamlfile.Text(n, "spec", "runImage", "image"))
}

// windowsImage reports whether an image is for Windows only.
func (c *checker) windowsImage(ref string) bool {
	if i, ok := c.images.Find(ref); ok {
		return has(i, windows) && !has(i, linux)
	}
	return workload.IsWindowsName(ref)
}
