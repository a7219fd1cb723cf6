package kpack

import (
	"archive/tar"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/pivotal/kpack/pkg/apis/build/v1alpha2"
	corev1alpha1 "github.com/pivotal/kpack/pkg/apis/core/v1alpha1"
	"github.com/pivotal/kpack/pkg/buildpod"
	"github.com/pivotal/kpack/pkg/cnb"
	"github.com/pivotal/kpack/pkg/config"
	kpackregistry "github.com/pivotal/kpack/pkg/registry"
)

const stackID = "test.slipway.stack"

// TestBuild goes through a build as the controller does, on Linux and on Windows: kpack makes a
// builder on a stack with our lifecycle, then the pod of a build with our helpers. Every program
// that the pod runs out of these images is in them.
func TestBuild(t *testing.T) {
	r := open(t)
	_, env := deployed(t, r.objects(t), "kpack-controller")
	images := config.Images{
		BuildInitImage: env["BUILD_INIT_IMAGE"], BuildInitWindowsImage: env["BUILD_INIT_WINDOWS_IMAGE"],
		CompletionImage: env["COMPLETION_IMAGE"], CompletionWindowsImage: env["COMPLETION_WINDOWS_IMAGE"],
		BuildWaiterImage: env["BUILD_WAITER_IMAGE"], RebaseImage: env["REBASE_IMAGE"],
	}
	host := r.serve(t, "lifecycle")
	lifecycle := lifecycle(t, r, host)
	for _, os := range []string{"linux", "windows"} {
		t.Run(os, func(t *testing.T) {
			builder := builder(t, lifecycle, host, os)
			pod := pod(t, images, builder, os)
			if got := pod.Spec.NodeSelector["kubernetes.io/os"]; got != os {
				t.Errorf("the pod selects nodes with %q", got)
			}
			ran := map[string]bool{}
			for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
				for _, program := range programs(c) {
					if strings.HasPrefix(program, "/networkWait/") {
						continue // a volume that build-init fills
					}
					if !slices.Contains(r.files(t, c.Image, builder, os), inLayer(program, os)) {
						t.Errorf("%s runs %s, which %s does not have", c.Name, program, c.Image)
					}
					ran[c.Image] = true
				}
			}
			want := map[string][]string{
				"linux":   {env["BUILD_INIT_IMAGE"], env["COMPLETION_IMAGE"], builder.Image},
				"windows": {env["BUILD_INIT_WINDOWS_IMAGE"], env["COMPLETION_WINDOWS_IMAGE"], builder.Image},
			}[os]
			slices.Sort(want)
			if got := slices.Sorted(maps.Keys(ran)); !slices.Equal(got, want) {
				t.Errorf("the pod runs programs of %q, want %q", got, want)
			}
			if os == "windows" && !slices.Contains(r.files(t, env["BUILD_INIT_WINDOWS_IMAGE"], builder, os),
				"Files/cnb/process/network-wait-launcher.exe") {
				t.Error("build-init has no network-wait-launcher.exe beside it to copy")
			}
		})
	}
}

// TestRebase: the pod that rebases a Windows image runs on Linux, and what it runs is there for
// Linux.
func TestRebase(t *testing.T) {
	r := open(t)
	_, env := deployed(t, r.objects(t), "kpack-controller")
	build := v1alpha2.Build{
		ObjectMeta: metav1.ObjectMeta{
			Name:      "b",
			Namespace: "ns", Annotations: map[string]string{v1alpha2.BuildReasonAnnotation: v1alpha2.BuildReasonStack},
		},
		Spec: v1alpha2.BuildSpec{
			Tags: []string{"registry.test/app"}, Builder: corev1alpha1.BuildBuilderSpec{Image: "registry.test/builder"},
			LastBuild: &v1alpha2.LastBuild{Image: "registry.test/app@sha256:1", StackId: stackID},
		},
	}
	pod, err := build.BuildPod(v1alpha2.BuildPodImages{
		RebaseImage:            env["REBASE_IMAGE"],
		CompletionWindowsImage: env["COMPLETION_WINDOWS_IMAGE"],
	},
		v1alpha2.BuildContext{BuildPodBuilderConfig: v1alpha2.BuildPodBuilderConfig{
			StackID:  stackID,
			RunImage: "run", PlatformAPIs: []string{"0.8"}, OS: "windows",
		}})
	if err != nil {
		t.Fatal(err)
	}
	if got := pod.Spec.NodeSelector["kubernetes.io/os"]; got != "linux" || len(pod.Spec.InitContainers) != 1 {
		t.Fatalf("this is no rebase pod: it selects %q and has %d init containers", got, len(pod.Spec.InitContainers))
	}
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		if program := c.Command[0]; !slices.Contains(r.files(t, c.Image, v1alpha2.BuilderRecord{}, "linux"),
			inLayer(program, "linux")) {
			t.Errorf("%s runs %s, which %s does not have for Linux", c.Name, program, c.Image)
		}
	}
}

// builder lets kpack make a builder without buildpacks.
func builder(t *testing.T, lifecycle *config.LifecycleProvider, host, os string) v1alpha2.BuilderRecord {
	t.Helper()
	keychain := authn.NewMultiKeychain()
	client := &kpackregistry.Client{}
	stack := &v1alpha2.ClusterStack{Spec: v1alpha2.ClusterStackSpec{Id: stackID}}
	stack.Spec.BuildImage.Image = stackImage(t, host, os)
	stack.Spec.RunImage.Image = stack.Spec.BuildImage.Image
	resolved, err := (&cnb.RemoteStackReader{RegistryClient: client}).Read(keychain, stack.Spec)
	if err != nil {
		t.Fatal(err)
	}
	stack.Status.ResolvedClusterStack = resolved
	creator := cnb.RemoteBuilderCreator{
		RegistryClient: client, LifecycleProvider: lifecycle,
		KeychainFactory: anonymous{},
	}
	record, err := creator.CreateBuilder(t.Context(), keychain, keychain,
		cnb.NewRemoteBuildpackFetcher(anonymous{}, nil, nil, nil),
		stack, v1alpha2.BuilderSpec{}, nil, host+"/builder/"+os)
	if err != nil {
		t.Fatal(err)
	}
	if record.OS != os {
		t.Errorf("the builder is for %q", record.OS)
	}
	return record
}

// stackImage pushes an image that serves as a stack's build and run image.
func stackImage(t *testing.T, host, os string) string {
	t.Helper()
	img, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: os, Architecture: "amd64", RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			Labels: map[string]string{cnb.StackLabel: stackID},
			Env:    []string{"CNB_USER_ID=1000", "CNB_GROUP_ID=1000"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.NewTag(host + "/stack/" + os + ":1")
	if err == nil {
		err = remote.Write(ref, img)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ref.Name()
}

// pod generates a build's pod as the controller does.
func pod(t *testing.T, images config.Images, builder v1alpha2.BuilderRecord, os string) *corev1.Pod {
	t.Helper()
	generator := buildpod.Generator{
		BuildPodConfig: images.ToBuildPodImages(),
		K8sClient: fake.NewSimpleClientset(
			&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: "ns"}}),
		KeychainFactory: anonymous{},
		ImageFetcher:    &kpackregistry.Client{},
	}
	build := &v1alpha2.Build{
		ObjectMeta: metav1.ObjectMeta{Name: "build-on-" + os, Namespace: "ns"},
		Spec: v1alpha2.BuildSpec{
			Tags: []string{"registry.test/app"}, Builder: corev1alpha1.BuildBuilderSpec{Image: builder.Image},
			ServiceAccountName: "default",
			Source: corev1alpha1.SourceConfig{
				Blob: &corev1alpha1.Blob{URL: "https://registry.test/app.zip"},
			},
		},
	}
	pod, err := generator.Generate(t.Context(), build)
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

// programs returns what a container runs: its command, and what that command starts after "--".
func programs(c corev1.Container) []string {
	list := c.Command[:1]
	if at := slices.Index(c.Args, "--"); at >= 0 && at+1 < len(c.Args) {
		list = append(slices.Clone(list), c.Args[at+1])
	}
	return list
}

// inLayer returns the entry of a layer that has the program.
func inLayer(program, os string) string {
	if os == "windows" {
		return path.Join("Files", program) + ".exe"
	}
	return strings.TrimPrefix(program, "/")
}

// files returns the entries of all layers that an image of the release, or the builder, has for a
// system.
func (r release) files(t *testing.T, ref string, builder v1alpha2.BuilderRecord, os string) []string {
	t.Helper()
	d, err := name.NewDigest(ref)
	if err != nil {
		t.Fatal(err)
	}
	var img v1.Image
	if ref == builder.Image {
		img, err = remote.Image(d)
	} else {
		img, err = r.child(d.DigestStr(), os)
	}
	if err != nil {
		t.Fatalf("%s: %v", ref, err)
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, l := range layers {
		rc, err := l.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		defer rc.Close()
		for tr := tar.NewReader(rc); ; {
			h, err := tr.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, strings.TrimPrefix(path.Clean(h.Name), "/"))
		}
	}
	return list
}

// child returns the first image for a system in an index of the store.
func (r release) child(digest, os string) (v1.Image, error) {
	h, err := v1.NewHash(digest)
	if err != nil {
		return nil, err
	}
	index, err := r.store.ImageIndex(h)
	if err != nil {
		return nil, err
	}
	m, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	for _, d := range m.Manifests {
		if d.Platform != nil && d.Platform.OS == os {
			return index.Image(d.Digest)
		}
	}
	return nil, errors.New("it has no image for " + os)
}
