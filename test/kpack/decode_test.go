package kpack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	kubernetes "k8s.io/client-go/kubernetes/scheme"

	"github.com/pivotal/kpack/pkg/apis/build/v1alpha1"
	"github.com/pivotal/kpack/pkg/apis/build/v1alpha2"
)

// known has the types of Kubernetes, of its API extensions and of kpack; decoder reads them and
// refuses unknown and repeated fields.
var (
	known = func() *runtime.Scheme {
		s := runtime.NewScheme()
		for _, add := range []func(*runtime.Scheme) error{
			kubernetes.AddToScheme, apiextensionsv1.AddToScheme,
			v1alpha1.AddToScheme, v1alpha2.AddToScheme,
		} {
			if err := add(s); err != nil {
				panic(err)
			}
		}
		return s
	}()
	decoder = serializer.NewCodecFactory(known, serializer.EnableStrict).UniversalDeserializer()
)

// mistakes are those in kpack's own samples: the field has been called size since v1alpha2.
var mistakes = map[string]string{"image_with_cache.yaml": `unknown field "spec.cache.volume.request"`}

// TestDecode reads every object of release.yaml into its type, and kpack's own samples into
// kpack's.
func TestDecode(t *testing.T) {
	r := open(t)
	objects := r.objects(t)
	want := 0
	for _, docs := range yamlFiles(t, "config") {
		want += len(docs)
	}
	if len(objects) != want {
		t.Errorf("release.yaml has %d objects, kpack's config %d", len(objects), want)
	}
	for file, docs := range yamlFiles(t, "samples") {
		for _, d := range docs {
			if _, _, err := decoder.Decode(d, nil, nil); err != nil &&
				(mistakes[file] == "" || !strings.Contains(err.Error(), mistakes[file])) {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// yamlFiles returns the objects in the files of a directory of kpack's, by file.
func yamlFiles(t *testing.T, dir string) map[string][][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(source(t), dir, "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("kpack has no YAML in %s: %v", dir, err)
	}
	files := map[string][][]byte{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = split(t, b)
	}
	return files
}

// TestDefinitions: release.yaml defines each kind and version that kpack's code has, and no other.
func TestDefinitions(t *testing.T) {
	defined := map[schema.GroupVersionKind]bool{}
	for _, o := range open(t).objects(t) {
		crd, ok := o.(*apiextensionsv1.CustomResourceDefinition)
		if !ok {
			continue
		}
		for _, v := range crd.Spec.Versions {
			for _, kind := range []string{crd.Spec.Names.Kind, crd.Spec.Names.ListKind} {
				if kind == "" {
					continue
				}
				gvk := schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: kind}
				defined[gvk] = true
				if !known.Recognizes(gvk) {
					t.Errorf("%s defines %s, which kpack does not have", crd.Name, gvk)
				}
			}
		}
	}
	for _, gv := range []schema.GroupVersion{v1alpha1.SchemeGroupVersion, v1alpha2.SchemeGroupVersion} {
		for kind, typ := range known.KnownTypes(gv) {
			if typ.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" {
				continue // ListOptions and the like, which every group has
			}
			if !defined[gv.WithKind(kind)] {
				t.Errorf("kpack has %s, which release.yaml does not define", gv.WithKind(kind))
			}
		}
	}
}
