package lint

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/workload"
)

func kpackSelector(p *pod, found finder) {
	if _, ok := p.Spec.NodeSelector[corev1.LabelOSStable]; ok && p.kpack {
		found("", "nodeSelector", corev1.LabelOSStable)
	}
}

// windowsTaints are those that Windows nodes usually have.
var windowsTaints = []corev1.Taint{
	{Key: "os", Value: windows, Effect: corev1.TaintEffectNoSchedule},
	{Key: "node.kubernetes.io/os", Value: windows, Effect: corev1.TaintEffectNoSchedule},
}

// kpackTolerations checks kpack's kinds whose builds run on Windows. A RuntimeClass that the
// manifest does not have may bring tolerations.
func (c *checker) kpackTolerations(p *pod) {
	if !p.kpack || slices.ContainsFunc(windowsTaints, func(t corev1.Taint) bool { return workload.Tolerates(p.spec, t) }) || !c.buildsOnWindows(p) {
		return
	}
	if name := p.spec.RuntimeClassName; name != nil {
		if _, ok := c.classes[*name]; !ok {
			return
		}
	}
	r, _ := rule("kpack-windows-toleration")
	c.found(p, r, "", "tolerations")
}

// buildsOnWindows reports whether kpack will start a build's pod on Windows: where the pod
// selects Windows, or where the builder, or the stack of a builder in the manifest, is of Windows
// by the lock or by its name.
func (c *checker) buildsOnWindows(p *pod) bool {
	if slices.Contains(p.systems, windows) {
		return true
	}
	o := c.objects[p.object]
	if p.Kind == workload.KpackBuild {
		return c.windowsImage(text(o.Node, "spec", "builder", "image"))
	}
	builder := value(o.Node, "spec", "builder")
	if windowsName(text(builder, "name")) {
		return true
	}
	for _, b := range c.objects {
		if b.Kind != text(builder, "kind") || b.Name != text(builder, "name") || b.Kind == "Builder" && b.Namespace != o.Namespace {
			continue
		}
		stack := text(b.Node, "spec", "stack", "name")
		if windowsName(stack) || c.windowsImage(text(b.Node, "spec", "tag")) {
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
	return windowsName(text(n, "spec", "id")) || c.windowsImage(text(n, "spec", "buildImage", "image")) || c.windowsImage(text(n, "spec", "runImage", "image"))
}

// windowsImage reports whether an image is one of Windows alone.
func (c *checker) windowsImage(ref string) bool {
	if i, ok := c.images.Find(ref); ok {
		return has(i, windows) && !has(i, linux)
	}
	return windowsName(ref)
}

// windowsName reports whether a name has one of the words by which images and stacks of Windows go.
func windowsName(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return slices.ContainsFunc(words, func(w string) bool {
		return w == "nanoserver" || w == "servercore" || strings.HasPrefix(w, "windows") || strings.HasPrefix(w, "ltsc20")
	})
}

// value returns the value at a path of keys, or nil.
func value(n *yaml.Node, keys ...string) *yaml.Node {
	for _, k := range keys {
		if n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		at := n
		n = nil
		for i := 0; i+1 < len(at.Content); i += 2 {
			if at.Content[i].Value == k {
				n = at.Content[i+1]
			}
		}
	}
	return n
}

// text returns the string at a path of keys, or "".
func text(n *yaml.Node, keys ...string) string {
	if v := value(n, keys...); v != nil && v.Kind == yaml.ScalarNode {
		return v.Value
	}
	return ""
}
