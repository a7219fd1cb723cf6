package kpack

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"knative.dev/pkg/apis"

	"github.com/pivotal/kpack/pkg/apis/build/v1alpha2"
	corev1alpha1 "github.com/pivotal/kpack/pkg/apis/core/v1alpha1"
	"github.com/pivotal/kpack/pkg/duckbuilder"
)

// samples decodes the files of docs/samples/kpack-windows strictly.
func samples(t *testing.T) map[string]runtime.Object {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "docs", "samples", "kpack-windows", "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no samples: %v", err)
	}
	all := map[string]runtime.Object{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		o, _, err := decoder.Decode(b, nil, nil)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		all[filepath.Base(path)] = o
	}
	return all
}

// TestSamples runs the checks of kpack's webhook on every sample of an object of kpack.
func TestSamples(t *testing.T) {
	kinds := map[string]bool{}
	for file, o := range samples(t) {
		kinds[o.GetObjectKind().GroupVersionKind().Kind] = true
		if d, ok := o.(apis.Defaultable); ok {
			d.SetDefaults(t.Context())
		}
		v, ok := o.(apis.Validatable)
		if !ok {
			if file != "runtimeclass.yaml" {
				t.Errorf("%s: kpack does not check it", file)
			}
			continue
		}
		if err := v.Validate(t.Context()); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, kind := range []string{
		"ClusterStack", "ClusterStore", "ClusterBuilder", "Builder", "Image",
		"Build", "RuntimeClass",
	} {
		if !kinds[kind] {
			t.Errorf("there is no sample of a %s", kind)
		}
	}
}

// TestSampleMistake: what the samples warn of is rejected.
func TestSampleMistake(t *testing.T) {
	image := samples(t)["image.yaml"].(*v1alpha2.Image)
	image.SetDefaults(t.Context())
	image.Spec.Build.NodeSelector["kubernetes.io/os"] = "windows"
	if err := image.Validate(t.Context()); err == nil ||
		!bytes.Contains([]byte(err.Error()), []byte("os is determined automatically")) {
		t.Errorf("an Image that selects the operating system: %v", err)
	}
}

// TestSamplePods lets kpack make the build pods of the samples, and looks for all that they say
// about where these run.
func TestSamplePods(t *testing.T) {
	all := samples(t)
	image := all["image.yaml"].(*v1alpha2.Image)
	builder := &duckbuilder.DuckBuilder{ObjectMeta: all["cluster-builder.yaml"].(*v1alpha2.ClusterBuilder).ObjectMeta}
	source := &v1alpha2.SourceResolver{}
	source.Status.Source.Blob = &corev1alpha1.ResolvedBlobSource{URL: "https://files.example.com/app.zip"}
	fromImage := image.Build(source, builder, nil, "CONFIG", "", 1, "")
	for name, build := range map[string]*v1alpha2.Build{
		"image.yaml": fromImage,
		"build.yaml": all["build.yaml"].(*v1alpha2.Build),
	} {
		pod, err := build.BuildPod(v1alpha2.BuildPodImages{
			BuildInitWindowsImage:  "init",
			CompletionWindowsImage: "completion",
		},
			v1alpha2.BuildContext{BuildPodBuilderConfig: v1alpha2.BuildPodBuilderConfig{
				StackID:  stackID,
				RunImage: "run", PlatformAPIs: []string{"0.8"}, OS: "windows",
			}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		spec := pod.Spec
		want := map[string]string{"kubernetes.io/os": "windows", "node.kubernetes.io/windows-build": "10.0.20348"}
		if d := cmp.Diff(want, spec.NodeSelector); d != "" {
			t.Errorf("%s: the node selector is (-want +got):\n%s", name, d)
		}
		if spec.SchedulerName != "default-scheduler" || spec.RuntimeClassName == nil ||
			*spec.RuntimeClassName != "windows-ltsc2022" || spec.Affinity == nil {
			t.Errorf("%s: scheduler %q, runtime class %v, affinity %v", name, spec.SchedulerName, spec.RuntimeClassName,
				spec.Affinity)
		}
		node := &corev1.Node{}
		node.Labels = map[string]string{
			"kubernetes.io/os": "windows", "node.kubernetes.io/windows-build": "10.0.20348",
			"example.com/pool": "builds",
		}
		taint := corev1.Taint{Key: "os", Value: "windows", Effect: corev1.TaintEffectNoSchedule}
		tolerated := false
		for _, o := range spec.Tolerations {
			tolerated = tolerated || o.ToleratesTaint(&taint)
		}
		if fits, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil || !fits || !tolerated {
			t.Errorf("%s: a Windows node: fits %v (%v), taint tolerated %v", name, fits, err, tolerated)
		}
		node.Labels["node.kubernetes.io/windows-build"] = "10.0.17763"
		if fits, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil || fits {
			t.Errorf("%s: a node of another Windows release fits: %v (%v)", name, fits, err)
		}
	}
}
