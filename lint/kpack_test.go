package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// TestKpack knows a build for Windows by its builder, by the builder's stack and by the images of
// that.
func TestKpack(t *testing.T) {
	image := func(build string) string {
		return "apiVersion: kpack.io/v1alpha2\nkind: Image\nmetadata: " +
			"{name: app, namespace: demo}\nspec:\n  tag: a\n " +
			" builder: {kind: Builder, name: b}\n  source: {git: {url: u, revision: r}}\n  build: {" +
			build + "}\n---\n"
	}
	build := func(image string) string {
		return "apiVersion: kpack.io/v1alpha1\nkind: Build\nmetadata: {name: app, namespace: demo}\nspec:\n  tags: " +
			"[a]\n  builder: {image: '" + image + "'}\n  source: {git: {url: u, revision: r}}\n---\n"
	}
	builder := func(namespace, stack string) string {
		return "apiVersion: kpack.io/v1alpha2\nkind: Builder\nmetadata: {name: b, namespace: " +
			namespace + "}\nspec: {tag: t, stack: {kind: ClusterStack, name: " + stack + "}}\n---\n"
	}
	stack := func(id, image string) string {
		return "apiVersion: kpack.io/v1alpha2\nkind: ClusterStack\nmetadata: {name: s}\nspec: {id: " +
			id + ", buildImage: {image: '" + image + "'}, runImage: {image: '" + image + "'}}\n---\n"
	}
	class := "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: c}\nhandler: h\nscheduling: " +
		"{tolerations: [%s]}\n---\n"
	affinity := "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
		"[{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [windows]}]}]}}}"
	for _, tt := range []struct {
		name, manifest string
		want           []string
	}{
		{"nothing of Windows", image("") + builder("demo", "s") + stack("io.buildpacks.stacks.jammy", tool), nil},
		{
			"the stack's name", image("") + builder("demo", "windows-2022"),
			[]string{"kpack-windows-toleration spec.build.tolerations"},
		},
		{
			"the stack's id", image("") + builder("demo", "s") + stack("io.buildpacks.stacks.nanoserver-1809", tool),
			[]string{"kpack-windows-toleration spec.build.tolerations"},
		},
		{
			"the stack's images by the lock", image("") + builder("demo", "s") + stack("a.b", agent),
			[]string{"kpack-windows-toleration spec.build.tolerations"},
		},
		{"a builder of another namespace", image("") + builder("other", "windows"), nil},
		{"affinity", image(affinity), []string{"kpack-windows-toleration spec.build.tolerations"}},
		{
			"affinity and the taint's toleration",
			image(affinity + ", tolerations: [{key: os, value: windows, effect: NoSchedule}]"), nil,
		},
		{"the other taint", image(affinity + ", tolerations: [{key: node.kubernetes.io/os, operator: Exists}]"), nil},
		{"every taint", image(affinity + ", tolerations: [{operator: Exists}]"), nil},
		{
			"another effect", image(affinity + ", tolerations: [{key: os, value: windows, effect: NoExecute}]"),
			[]string{"kpack-windows-toleration spec.build.tolerations"},
		},
		{
			"another value", image(affinity + ", tolerations: [{key: os, value: linux}]"),
			[]string{"kpack-windows-toleration spec.build.tolerations"},
		},
		{"a runtime class that tolerates", image(affinity+", runtimeClassName: c") +
			fmt.Sprintf(class, "{key: os, operator: Equal, value: windows, effect: NoSchedule}"), nil},
		{
			"a runtime class that does not", image(affinity+", runtimeClassName: c") + fmt.Sprintf(class, ""),
			[]string{"kpack-windows-toleration spec.build.tolerations"},
		},
		{"a runtime class that is elsewhere", image(affinity + ", runtimeClassName: c"), nil},
		{
			"a Build by its builder's name", build("registry.example/builders/windows:1"),
			[]string{"kpack-windows-toleration spec.tolerations", "image-unpinned spec.builder.image"},
		},
		{"a Build by the lock", build(agent), []string{"kpack-windows-toleration spec.tolerations"}},
		{"a Build on Linux", build(tool), nil},
		{"a Build that may be either", build(app), nil},
		{
			"a selector", image("nodeSelector: {kubernetes.io/os: linux}"),
			[]string{`kpack-os-selector spec.build.nodeSelector["kubernetes.io/os"]`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := places(check(t, "m.yaml", tt.manifest).Findings); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestKpackRelease finds nothing in kpack's own manifest.
func TestKpackRelease(t *testing.T) {
	r, err := lint.Check(t.Context(),
		[]lint.File{{Name: "kpack.yaml", Text: []byte(read(t, "../render/testdata/kpack.yaml"))}}, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) > 0 || r.Pods != 2 {
		t.Errorf("found %v in %d pods", r.Findings, r.Pods)
	}
}

// TestKpackUses finds every image of kpack's slipway.yaml in its manifest.
func TestKpackUses(t *testing.T) {
	p, err := product.Load(t.Context(), product.Options{Path: "../slipway.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	l := &lock.Lock{}
	for _, i := range p.Images {
		l.Images = append(l.Images, lock.Image{Name: i.Name, Repository: "slipway.local/kpack/" + i.Name})
	}
	r, err := lint.Check(t.Context(),
		[]lint.File{{Name: "kpack.yaml", Text: []byte(read(t, "../render/testdata/kpack.yaml"))}},
		lint.Options{Lock: l, Product: p})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if strings.HasSuffix(f.Rule, "-unused") {
			t.Error(f)
		}
	}
}
