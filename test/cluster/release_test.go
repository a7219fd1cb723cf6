package cluster

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// A registry listens at this address in every namespace. The path is there because a private
// registry has one.
const (
	registryAddress = "127.0.0.1:5000"
	mirror          = registryAddress + "/mirror"
	mirrorPath      = "/v2/mirror/" // of the mirror's repositories in the registry's API
)

// release is the release that the tests read, as an operator has it after pushing the bundle.
type release struct {
	manifest []byte // release.yaml with the names of the private registry
	lock     *lock.Lock
	registry http.Handler // which has all images, for all clusters
	dist     string
}

// open reads the release that go tool mage test names: SLIPWAY_DIST is its directory. Its own
// slipway pushes the bundle of all platforms into a registry and renames release.yaml, in a
// namespace for that alone.
func open(dir string) (*release, error) {
	dist := os.Getenv("SLIPWAY_DIST")
	if dist == "" {
		return nil, fmt.Errorf("SLIPWAY_DIST names no release: run go tool mage cluster")
	}
	l, err := lock.Read(filepath.Join(dist, lock.Name))
	if err != nil {
		return nil, err
	}
	blobs := filepath.Join(dir, "registry")
	if err := os.Mkdir(blobs, 0o755); err != nil {
		return nil, err
	}
	r := &release{lock: l, dist: dist, registry: registry.New(
		registry.Logger(log.New(quiet{}, "", 0)), registry.WithBlobHandler(registry.NewDiskBlobHandler(blobs)))}
	n, err := namespace.New()
	if err != nil {
		return nil, err
	}
	defer n.Close()
	s, err := serve(n, r.registry)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	renamed := filepath.Join(dir, "release.yaml")
	var out strings.Builder
	cmd := exec.Command(filepath.Join(dist, "bin", "slipway"), "airgap",
		"push", filepath.Join(dist, "kpack-images.tar.zst"),
		"-to="+mirror, "-snapshot", "-release="+filepath.Join(dist, "release.yaml"), "-release-to="+renamed)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := n.Run(cmd); err != nil {
		return nil, fmt.Errorf("pushing the bundle: %w\n%s", err, out.String())
	}
	r.manifest, err = os.ReadFile(renamed)
	return r, err
}

// clone is a release whose lock can be changed.
func (r *release) clone() *release {
	other, l := *r, *r.lock
	l.Images = slices.Clone(l.Images)
	other.lock = &l
	return &other
}

// own is the registry of one cluster: it has the release's images and takes what is pushed, which
// no other cluster sees. All clusters build under the same names, and what they build is read
// again.
func (r *release) own() http.Handler {
	other := registry.New(registry.Logger(log.New(quiet{}, "", 0)))
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasPrefix(q.URL.Path, mirrorPath) {
			r.registry.ServeHTTP(w, q)
			return
		}
		other.ServeHTTP(w, q)
	})
}

// serve lets a handler answer at the registry's address in a namespace.
func serve(n *namespace.Namespace, h http.Handler) (*http.Server, error) {
	l, err := n.Listen(background, registryAddress)
	if err != nil {
		return nil, err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go s.Serve(l) //nolint:errcheck // it ends by being closed
	return s, nil
}

// image is the reference that release.yaml has for an image of the lock.
func (r *release) image(t testing.TB, name string) string {
	t.Helper()
	for _, i := range r.lock.Images {
		if i.Name == name {
			_, path, _ := strings.Cut(i.Repository, "/")
			return mirror + "/" + path + "@" + i.Digest.String()
		}
	}
	t.Fatalf("the lock has no image %s", name)
	return ""
}

type quiet struct{}

func (quiet) Write(p []byte) (int, error) { return len(p), nil }
