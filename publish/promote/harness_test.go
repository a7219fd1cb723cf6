package promote_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/publish/promote"
	"github.com/slipway-dev/slipway/store"
)

// quick retries at once.
var quick = network.Options{Wait: time.Microsecond}

// staged is a release in a staging registry, with artifacts about its first image.
type staged struct {
	t       *testing.T
	product *product.Product
	store   *store.Store
	built   *lock.Lock // without names
	lock    *lock.Lock
	at      *registrytest.Server
	release string // path of its release.yaml
	about   []v1.Hash
	tags    []string // under which artifacts are found
}

// separate serves a registry that keeps blobs per repository.
func separate(t *testing.T) *registrytest.Server {
	t.Helper()
	s := registrytest.Serve(t)
	s.Inner = registrytest.Separate(s.Inner)
	return s
}

// stage publishes a release: an image with tags of every kind, another one in the same repository,
// and one of a single manifest.
func stage(t *testing.T) *staged {
	t.Helper()
	st := storetest.Open(t)
	l := storetest.Release(t, st, 3000)
	p := storetest.Product(t, l)
	s := separate(t)
	p.Registry = s.Host() + "/staging"
	agent, server := &p.Images[0], &p.Images[1]
	server.Repositories, server.Tags = agent.Repositories, []string{"1.2.3-server"}
	agent.Tags, agent.FloatingTags = []string{"1.2.3", "1.2.3-full"}, []string{"latest", "v1"}
	agent.PlatformTags = []product.PlatformTag{
		{Tag: "1.2.3-windows", Platforms: storetest.Only(p, platform.Windows).Images[0].Platforms},
		{Tag: "1.2.3-linux-amd64", Platforms: agent.Platforms[:1]},
	}
	out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err == nil {
		err = publish.Move(t.Context(), st, out, quick)
	}
	if err != nil {
		t.Fatal(err)
	}
	g := &staged{
		t: t, product: p, store: st, built: l, lock: out, at: s,
		release: filepath.Join(t.TempDir(), "release.yaml"),
	}
	i := out.Images[0]
	repo, err := name.NewRepository(i.Repository)
	if err != nil {
		t.Fatal(err)
	}
	sbom := g.attach(repo, i.Descriptor(), "an SBOM", "")
	g.attach(repo, v1.Descriptor{MediaType: types.OCIManifestSchema1, Digest: sbom, Size: 1}, "about the SBOM", "")
	g.attach(repo, v1.Descriptor{
		MediaType: types.OCIManifestSchema1, Digest: i.Children[2].Digest,
		Size: i.Children[2].Size,
	}, "about Windows", "")
	g.attach(repo, i.Descriptor(), "a signature", "sha256-"+i.Digest.Hex+".sig")
	g.manifest(i.Reference())
	s.Reset()
	return g
}

// attach puts a referrer of a manifest, or, with a tag, one of cosign.
func (g *staged) attach(repo name.Repository, to v1.Descriptor, text, tag string) v1.Hash {
	g.t.Helper()
	img, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		static.NewLayer([]byte(text), "text/plain"))
	if err != nil {
		g.t.Fatal(err)
	}
	if tag == "" {
		img = mutate.Subject(img, v1.Descriptor{MediaType: to.MediaType, Digest: to.Digest, Size: to.Size}).(v1.Image)
	}
	h, err := img.Digest()
	if err != nil {
		g.t.Fatal(err)
	}
	var ref name.Reference = repo.Digest(h.String())
	if tag != "" {
		ref = repo.Tag(tag)
		g.tags = append(g.tags, tag)
	}
	if err := remote.Write(ref, img); err != nil {
		g.t.Fatal(err)
	}
	g.about = append(g.about, h)
	return h
}

// manifest writes a release.yaml with one pod.
func (g *staged) manifest(image string) {
	g.t.Helper()
	text := fmt.Sprintf(`# of the release
apiVersion: v1
kind: Pod
metadata:
  name: agent
spec:
  nodeSelector:
    kubernetes.io/os: linux
  containers:
  - name: agent
    image: %s # pinned
  - name: other
    image: registry.example/other:1@sha256:%s
`, image, strings.Repeat("a", 64))
	if err := os.WriteFile(g.release, []byte(text), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

// names lists the repositories below a destination with the tags that they should have, and what
// each names.
func (g *staged) names(to string, floating bool) map[string]v1.Hash {
	all := map[string]v1.Hash{}
	for _, i := range g.lock.Images {
		for _, n := range i.Names() {
			if !n.Floating || floating {
				all[to+strings.TrimPrefix(n.Reference, g.lock.Registry)] = n.Desc.Digest
			}
		}
	}
	return all
}

// check pulls everything from a destination.
func (g *staged) check(to string, floating bool) {
	g.t.Helper()
	for ref, want := range g.names(to, floating) {
		r, err := name.ParseReference(ref)
		if err != nil {
			g.t.Fatal(err)
		}
		got, err := remote.Get(r)
		if err != nil {
			g.t.Error(err)
			continue
		}
		if got.Digest != want {
			g.t.Errorf("%s is %s, want %s", ref, got.Digest, want)
		}
		if got.MediaType.IsIndex() {
			var idx v1.ImageIndex
			if idx, err = got.ImageIndex(); err == nil {
				err = validate.Index(idx)
			}
		} else {
			var img v1.Image
			if img, err = got.Image(); err == nil {
				err = validate.Image(img)
			}
		}
		if err != nil {
			g.t.Errorf("%s: %v", ref, err)
		}
	}
	repo, err := name.NewRepository(to + strings.TrimPrefix(g.lock.Images[0].Repository, g.lock.Registry))
	if err != nil {
		g.t.Fatal(err)
	}
	for _, h := range g.about {
		if _, err := remote.Image(repo.Digest(h.String())); err != nil {
			g.t.Error(err)
		}
	}
	for _, tag := range g.tags {
		if _, err := remote.Image(repo.Tag(tag)); err != nil {
			g.t.Error(err)
		}
	}
	for _, h := range []v1.Hash{g.lock.Images[0].Digest, g.lock.Images[0].Children[2].Digest, g.about[0]} {
		idx, err := remote.Referrers(repo.Digest(h.String()))
		if err != nil {
			g.t.Error(err)
			continue
		}
		if m, err := idx.IndexManifest(); err != nil || len(m.Manifests) != 1 {
			g.t.Errorf("%s has %+v as referrers, %v", h, m, err)
		}
	}
}

// tagged lists the tags that a registry was given, in their order.
func tagged(s *registrytest.Server) (all []string) {
	calls, _ := s.Reset()
	for _, c := range calls {
		if _, ref, ok := strings.Cut(c, "/manifests/"); ok && strings.HasPrefix(c, "PUT ") &&
			!strings.HasPrefix(ref, "sha256") {
			all = append(all, ref)
		}
	}
	return all
}

func (g *staged) options(to ...string) promote.Options {
	return promote.Options{To: to, Release: g.release, Registry: quick}
}

// says checks that an error has all parts.
func says(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("the error does not say %q: %v", p, err)
		}
	}
}

func sorted(list ...string) []string { return slices.Sorted(slices.Values(list)) }

func head(t *testing.T, ref string) string {
	t.Helper()
	r, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	d, err := remote.Head(r)
	if err != nil {
		t.Error(err)
		return ""
	}
	return d.Digest.String()
}

func parse(t *testing.T, s string) platform.Platform {
	t.Helper()
	p, err := platform.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
