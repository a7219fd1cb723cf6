package kpack

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// release is the release that the tests read.
type release struct {
	docs  [][]byte // of release.yaml
	lock  lock
	store v1.ImageIndex // the top of the store, which is an image layout
}

// lock is what these tests need of release.lock.json.
type lock struct {
	Registry string
	Images   []lockedImage
}

type lockedImage struct {
	Name, Kind, Repository string
	Tags                   []string
	Digest                 v1.Hash
}

func (i lockedImage) reference() string { return i.Repository + "@" + i.Digest.String() }

func (l lock) image(t *testing.T, name string) lockedImage {
	t.Helper()
	for _, i := range l.Images {
		if i.Name == name {
			return i
		}
	}
	t.Fatalf("the lock has no image %s", name)
	return lockedImage{}
}

// open reads the release that go tool mage test names: SLIPWAY_DIST is its directory,
// SLIPWAY_STORE that of the store.
func open(t *testing.T) release {
	t.Helper()
	dist, store := os.Getenv("SLIPWAY_DIST"), os.Getenv("SLIPWAY_STORE")
	if dist == "" || store == "" {
		t.Fatal("SLIPWAY_DIST and SLIPWAY_STORE name no release: run go tool mage test")
	}
	var r release
	b, err := os.ReadFile(filepath.Join(dist, "release.lock.json"))
	if err == nil {
		err = json.Unmarshal(b, &r.lock)
	}
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(dist, "release.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	r.docs = split(t, manifest)
	if r.store, err = layout.ImageIndexFromPath(store); err != nil {
		t.Fatal(err)
	}
	return r
}

// split returns the documents of a manifest that have an object.
func split(t *testing.T, manifest []byte) [][]byte {
	t.Helper()
	var docs [][]byte
	for r := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(manifest))); ; {
		doc, err := r.Read()
		if errors.Is(err, io.EOF) {
			return docs
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(doc, []byte("kind:")) {
			docs = append(docs, doc)
		}
	}
}

// objects decodes every document strictly.
func (r release) objects(t *testing.T) []runtime.Object {
	t.Helper()
	var list []runtime.Object
	for _, d := range r.docs {
		obj, _, err := decoder.Decode(d, nil, nil)
		if err != nil {
			t.Errorf("%v in\n%s", err, d)
			continue
		}
		list = append(list, obj)
	}
	return list
}

// find returns the object of type T with a name, and fails where the release has none.
func find[T interface {
	runtime.Object
	GetName() string
}](t *testing.T, objects []runtime.Object, name string) T {
	t.Helper()
	for _, o := range objects {
		if found, ok := o.(T); ok && found.GetName() == name {
			return found
		}
	}
	var none T
	t.Fatalf("release.yaml has no %T %s", none, name)
	return none
}

// environment resolves a container's variables as the kubelet does.
func environment(t *testing.T, objects []runtime.Object, container corev1.Container,
	namespace string,
) map[string]string {
	t.Helper()
	env := map[string]string{}
	for _, e := range container.Env {
		switch from := e.ValueFrom; {
		case from == nil:
			env[e.Name] = e.Value
		case from.ConfigMapKeyRef != nil:
			env[e.Name] = find[*corev1.ConfigMap](t, objects, from.ConfigMapKeyRef.Name).Data[from.ConfigMapKeyRef.Key]
		case from.FieldRef != nil && from.FieldRef.FieldPath == "metadata.namespace":
			env[e.Name] = namespace
		default:
			t.Errorf("variable %s comes from where this test cannot look: %v", e.Name, from)
		}
	}
	return env
}

// serve starts a registry on loopback, fills it with the release's image of a name, if any, and
// returns its host.
func (r release) serve(t *testing.T, names ...string) string {
	t.Helper()
	s := httptest.NewServer(registry.New(
		registry.Logger(log.New(io.Discard, "", 0)),
		registry.WithBlobHandler(registry.NewDiskBlobHandler(t.TempDir()))))
	t.Cleanup(s.Close)
	host := strings.TrimPrefix(s.URL, "http://")
	for _, n := range names {
		i := r.lock.image(t, n)
		img, err := r.store.Image(i.Digest)
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		ref, err := name.NewTag(r.at(host, i.Repository) + ":" + i.Tags[0])
		if err == nil {
			err = remote.Write(ref, img)
		}
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
	}
	return host
}

// at moves a reference to another registry, as one who mirrors a release does.
func (r release) at(host, ref string) string {
	home, _, _ := strings.Cut(r.lock.Registry, "/")
	return host + strings.TrimPrefix(ref, home)
}
