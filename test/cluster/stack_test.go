package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// remote are the options to reach the registry in the cluster's namespace.
func (c *cluster) remote(ctx context.Context) []remote.Option { return reach(ctx, c.plane.Namespace) }

func reach(ctx context.Context, n *namespace.Namespace) []remote.Option {
	return []remote.Option{
		remote.WithContext(ctx),
		remote.WithTransport(&http.Transport{DialContext: n.Dial, DisableKeepAlives: true}),
	}
}

// push writes an image to the registry and returns its reference by digest.
func (c *cluster) push(ctx context.Context, repository string, img v1.Image) (string, error) {
	ref, err := name.NewTag(registryAddress + "/" + repository + ":latest")
	if err != nil {
		return "", err
	}
	if err := remote.Write(ref, img, c.remote(ctx)...); err != nil {
		return "", fmt.Errorf("pushing %s: %w", ref, err)
	}
	digest, err := img.Digest()
	return ref.Context().Digest(digest.String()).Name(), err
}

// stackImage is a stack's build or run image: a plain manifest with one layer and the labels that
// buildpacks want.
func stackImage(os, role string) (v1.Image, error) {
	layer, err := file(os, "etc/"+role, role)
	if err != nil {
		return nil, err
	}
	config := &v1.ConfigFile{
		OS: os, Architecture: "amd64", RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			Labels: map[string]string{"io.buildpacks.stack.id": "test.slipway." + os},
			Env:    []string{"CNB_USER_ID=1000", "CNB_GROUP_ID=1000"},
		},
	}
	if os == "windows" {
		config.OSVersion = windows.OSVersion
	}
	img, err := mutate.ConfigFile(empty.Image, config)
	if err != nil {
		return nil, err
	}
	return mutate.AppendLayers(img, layer)
}

// stacks: the controller reads a stack for each system.
func stacks(ctx context.Context, _ testing.TB, c *cluster) error {
	for _, os := range []string{"linux", "windows"} {
		v := values{OS: os}
		for role, ref := range map[string]*string{"build": &v.Build, "run": &v.Run} {
			img, err := stackImage(os, role)
			if err != nil {
				return err
			}
			if *ref, err = c.push(ctx, "stacks/"+os+"-"+role, img); err != nil {
				return err
			}
		}
		if err := c.create(ctx, "stack.yaml", v); err != nil {
			return err
		}
	}
	for _, os := range []string{"linux", "windows"} {
		if _, err := c.ready(ctx, kind("ClusterStack"), "", os); err != nil {
			return err
		}
	}
	return nil
}

// builders: a Builder and a ClusterBuilder on each stack become ready with our lifecycle. The
// layer in them is the one that was built for their system, byte for byte.
func builders(ctx context.Context, t testing.TB, c *cluster) error {
	for _, os := range []string{"linux", "windows"} {
		if err := c.create(ctx, "builders.yaml", values{OS: os}); err != nil {
			return err
		}
	}
	for _, os := range []string{"linux", "windows"} {
		for _, b := range []struct{ kind, namespace string }{{"ClusterBuilder", ""}, {"Builder", builds}} {
			o, err := c.ready(ctx, kind(b.kind), b.namespace, os)
			if err != nil {
				return err
			}
			want, err := c.lifecycle(ctx, t, os)
			if err != nil {
				return err
			}
			if err := c.builder(ctx, o, os, want); err != nil {
				return fmt.Errorf("%s %s: %w", b.kind, os, err)
			}
		}
	}
	return nil
}

// latest is the image that the status of a builder, a Build or an Image names.
func latest(o *unstructured.Unstructured) string {
	ref, _, _ := unstructured.NestedString(o.Object, "status", "latestImage")
	return ref
}

// builder looks at a builder's image.
func (c *cluster) builder(ctx context.Context, o *unstructured.Unstructured, os string, lifecycle v1.Hash) error {
	ref, err := name.NewDigest(latest(o))
	if err != nil {
		return err
	}
	img, err := remote.Image(ref, c.remote(ctx)...)
	if err != nil {
		return err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return err
	}
	if system, _, _ := unstructured.NestedString(o.Object, "status", "os"); config.OS != os || system != os {
		return fmt.Errorf("its image is for %s, its status says %s", config.OS, system)
	}
	if os == "windows" && config.OSVersion != windows.OSVersion {
		return fmt.Errorf("its image has lost the version %s of its stack and has %q", windows.OSVersion,
			config.OSVersion)
	}
	layer, err := img.LayerByDigest(lifecycle)
	if err != nil {
		return fmt.Errorf("its image lacks the lifecycle's layer: %w", err)
	}
	r, err := layer.Compressed()
	if err != nil {
		return err
	}
	defer r.Close()
	if got, _, err := v1.SHA256(r); err != nil || got != lifecycle {
		return fmt.Errorf("its lifecycle is %s, want %s: %w", got, lifecycle, err)
	}
	return nil
}

// lifecycle is the layer for a system of the lifecycle image that the lock names.
func (c *cluster) lifecycle(ctx context.Context, t testing.TB, os string) (v1.Hash, error) {
	ref, err := name.NewDigest(c.image(t, "lifecycle"))
	if err != nil {
		return v1.Hash{}, err
	}
	img, err := remote.Image(ref, c.remote(ctx)...)
	if err != nil {
		return v1.Hash{}, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return v1.Hash{}, err
	}
	for i, id := range config.RootFS.DiffIDs {
		if id.String() == config.Config.Labels[os] {
			layers, err := img.Layers()
			if err != nil {
				return v1.Hash{}, err
			}
			return layers[i].Digest()
		}
	}
	return v1.Hash{}, errors.New("the lifecycle image has no layer for " + os)
}
