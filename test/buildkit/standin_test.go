//go:build linux

package buildkit

import (
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

// standIn is an image on disk that BuildKit takes for one of a registry.
type standIn struct {
	image  v1.Image
	digest v1.Hash
	dir    string
}

// layoutOf writes an image as an OCI layout.
func layoutOf(t *testing.T, img v1.Image) standIn {
	t.Helper()
	return layoutIn(t, t.TempDir(), img)
}

// layoutIn adds an image to the layout in a directory.
func layoutIn(t *testing.T, dir string, img v1.Image) standIn {
	t.Helper()
	s := standIn{image: img, dir: dir}
	l, err := layout.FromPath(dir)
	if err != nil {
		l, err = layout.Write(dir, empty.Index)
	}
	must(t, err)
	must(t, l.AppendImage(img))
	s.digest, err = img.Digest()
	must(t, err)
	return s
}

// standInsOf are images by their descriptions, for one platform.
func standInsOf(t *testing.T, images map[string][]byte, p platform.Platform) map[string]standIn {
	t.Helper()
	all := map[string]standIn{}
	for name, spec := range images {
		all[name] = layoutOf(t, dockerfiletest.Image(t, spec, p))
	}
	return all
}

// base is the image as a base of Slipway.
func (s standIn) base(name string, p platform.Platform) base.Base {
	return base.Base{Image: s.image, Platform: p, Info: &base.Info{Name: name, Digest: s.digest}}
}

// options of buildctl that give the image a name.
func (s standIn) options(name string) []string {
	store := strings.NewReplacer(":", "-", "/", "-", "@", "-").Replace(name)
	return []string{
		"--opt=context:" + name + "=oci-layout://" + store + "@" + s.digest.String(),
		"--oci-layout=" + store + "=" + s.dir,
	}
}

// familiar returns the name of an image as BuildKit looks for it among its contexts: without what
// a name on Docker Hub and the tag latest need not be written with.
func familiar(image string) string {
	tagged, digest, pinned := strings.Cut(image, "@")
	ref, err := name.ParseReference(tagged)
	if err != nil {
		return image
	}
	short := strings.TrimPrefix(strings.TrimPrefix(ref.Name(), name.DefaultRegistry+"/"), "library/")
	short = strings.TrimSuffix(short, ":latest")
	if pinned {
		short += "@" + digest
	}
	return short
}
