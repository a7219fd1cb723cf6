package cluster

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/test/cluster/node"
)

// pullable: each image of a pod has a manifest that its node runs, and in its layers the programs
// that the pod starts.
func (c *cluster) pullable(ctx context.Context, pod *corev1.Pod, on node.Spec) error {
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		files, err := c.files(ctx, container.Image, on)
		if err != nil {
			return fmt.Errorf("container %s cannot run on node %s: %w", container.Name, on.Name, err)
		}
		for _, program := range programs(container) {
			if on.OS == "windows" {
				program = path.Join("Files", program) + ".exe"
			}
			if !slices.Contains(files, strings.TrimPrefix(program, "/")) {
				return fmt.Errorf("container %s runs %s, which %s does not have on node %s", container.Name,
					program, container.Image, on.Name)
			}
		}
	}
	return nil
}

// programs are what a container starts out of its image: its command, or what the network's
// launcher, which build-init puts into a volume, starts after it.
func programs(c corev1.Container) []string {
	if strings.HasPrefix(c.Command[0], "/networkWait/") {
		if at := slices.Index(c.Args, "--"); at >= 0 && at+1 < len(c.Args) {
			return c.Args[at+1 : at+2]
		}
	}
	return c.Command[:1]
}

// contents caches the entries of images by digest.
var contents sync.Map

// files are the entries of all layers of an image as a node pulls it.
func (c *cluster) files(ctx context.Context, image string, on node.Spec) ([]string, error) {
	ref, err := name.NewDigest(image)
	if err != nil {
		return nil, err
	}
	img, err := c.child(ctx, ref, platform.Platform{OS: on.OS, Architecture: "amd64", OSVersion: on.OSVersion})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", image, err)
	}
	digest, err := img.Digest()
	if err != nil {
		return nil, err
	}
	if list, ok := contents.Load(digest); ok {
		return list.([]string), nil
	}
	layers, err := img.Layers()
	if err != nil {
		return nil, err
	}
	var list []string
	for _, l := range layers {
		entries, err := entries(l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", image, err)
		}
		list = append(list, entries...)
	}
	contents.Store(digest, list)
	return list, nil
}

// child is the image that a node of a platform takes: of an index the manifest that containerd
// would choose there.
func (c *cluster) child(ctx context.Context, ref name.Digest, host platform.Platform) (v1.Image, error) {
	d, err := remote.Get(ref, c.remote(ctx)...)
	if err != nil {
		return nil, err
	}
	if !d.MediaType.IsIndex() {
		img, err := d.Image()
		if err != nil {
			return nil, err
		}
		config, err := img.ConfigFile()
		if err != nil {
			return nil, err
		}
		if p := platform.From(config.Platform()); !platform.Runs(host, p) {
			return nil, fmt.Errorf("it is for %s", p)
		}
		return img, nil
	}
	index, err := d.ImageIndex()
	if err != nil {
		return nil, err
	}
	m, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	var list []platform.Platform
	for _, d := range m.Manifests {
		list = append(list, platform.From(d.Platform))
	}
	best := platform.Best(host, list)
	if best < 0 {
		return nil, fmt.Errorf("it is for %s", list)
	}
	return index.Image(m.Manifests[best].Digest)
}

// entries reads a layer to its end, which verifies it, and returns the names in it.
func entries(l v1.Layer) ([]string, error) {
	rc, err := l.Uncompressed()
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	var list []string
	for r := tar.NewReader(rc); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, strings.Trim(path.Clean(h.Name), "/"))
	}
}
