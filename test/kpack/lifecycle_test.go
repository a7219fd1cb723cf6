package kpack

import (
	"context"
	"io"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/pivotal/kpack/pkg/config"
	kpackregistry "github.com/pivotal/kpack/pkg/registry"
)

// anonymous gives everyone the empty keychain.
type anonymous struct{}

func (anonymous) KeychainForSecretRef(context.Context, kpackregistry.SecretRef) (authn.Keychain, error) {
	return authn.NewMultiKeychain(), nil
}

// lifecycle loads the lifecycle from a registry through the controller's provider, by the
// ConfigMap of release.yaml.
func lifecycle(t *testing.T, r release, host string) *config.LifecycleProvider {
	t.Helper()
	cm := find[*corev1.ConfigMap](t, r.objects(t), config.LifecycleConfigName).DeepCopy()
	cm.Data[config.LifecycleConfigKey] = r.at(host, cm.Data[config.LifecycleConfigKey])
	p := config.NewLifecycleProvider(&kpackregistry.Client{}, anonymous{})
	if err := p.UpdateImage(cm); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLifecycle: kpack's provider finds a layer for each system, with the bytes of the store, and
// metadata that kpack can use.
func TestLifecycle(t *testing.T) {
	r := open(t)
	p := lifecycle(t, r, r.serve(t, "lifecycle"))
	md, err := p.Metadata()
	if err != nil {
		t.Fatal(err)
	}
	if md.Version == "" || md.Version == "0.0.0" {
		t.Errorf("the lifecycle's version is %q", md.Version)
	}
	platforms := slices.Concat(md.APIs.Platform.Deprecated, md.APIs.Platform.Supported)
	if !slices.Contains(platforms, "0.7") && !slices.Contains(platforms, "0.8") {
		t.Errorf("platform APIs %v hold neither 0.7 nor 0.8, of which kpack needs one", platforms)
	}
	if buildpacks := slices.Concat(md.APIs.Buildpack.Deprecated, md.APIs.Buildpack.Supported); len(buildpacks) == 0 {
		t.Error("no buildpack APIs")
	}
	stored, err := r.store.Image(r.lock.image(t, "lifecycle").Digest)
	if err != nil {
		t.Fatal(err)
	}
	for _, os := range []string{"linux", "windows"} {
		layer, _, err := p.LayerForOS(os)
		if err != nil {
			t.Fatal(err)
		}
		digest, err := layer.Digest()
		if err != nil {
			t.Fatal(err)
		}
		want, err := stored.LayerByDigest(digest)
		if err != nil {
			t.Fatalf("%s: %v", os, err)
		}
		if got, want := sum(t, layer), sum(t, want); got != want || got != digest {
			t.Errorf("%s: the layer that kpack reads has the digest %s, the stored one %s, both should have %s",
				os, got, want, digest)
		}
	}
}

// sum reads a layer and returns the digest of its compressed bytes.
func sum(t *testing.T, l v1.Layer) v1.Hash {
	t.Helper()
	r, err := l.Compressed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	h, _, err := v1.SHA256(io.Reader(r))
	if err != nil {
		t.Fatal(err)
	}
	return h
}
