package transfer_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// attach puts an artifact with a text as a referrer of a manifest, or, with a tag, one of cosign.
func attach(t *testing.T, repo name.Repository, to v1.Descriptor, text, tag string) v1.Hash {
	t.Helper()
	img := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	img, err := mutate.AppendLayers(img, static.NewLayer([]byte(text), "text/plain"))
	if err != nil {
		t.Fatal(err)
	}
	if tag == "" {
		img = mutate.Subject(img, v1.Descriptor{MediaType: to.MediaType, Digest: to.Digest, Size: to.Size}).(v1.Image)
	}
	h, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	var ref name.Reference = repo.Digest(h.String())
	if tag != "" {
		ref = repo.Tag(tag)
	}
	if err := remote.Write(ref, img); err != nil {
		t.Fatal(err)
	}
	return h
}

// copied reads everything of a repository's image, and lists it as images for another one.
func copied(t *testing.T, c *transfer.Client, from name.Digest,
	to name.Tag,
) (images []transfer.Image, held []transfer.Remote) {
	t.Helper()
	held, err := c.Read(t.Context(), []name.Digest{from})
	if err != nil {
		t.Fatal(err)
	}
	about := &transfer.Subject{Repo: from.Context(), Name: from.String(), Digests: held[0].Tree.Digests()}
	if err := c.ReadReferrers(t.Context(), []*transfer.Subject{about}); err != nil {
		t.Fatal(err)
	}
	images = append(images, transfer.Image{Name: "agent", Ref: to, Tree: held[0].Tree, Bases: held[0].MountFrom()})
	for n, r := range about.Referrers {
		var ref name.Reference = to.Digest(r.Digest.String())
		if r.Tag != "" {
			ref = to.Context().Tag(r.Tag)
		}
		one := transfer.Remote{Repo: from.Context(), Tree: about.Trees[n]}
		held = append(held, one)
		for _, i := range transfer.Referrer("agent", ref, one.Tree, false) {
			i.Bases = one.MountFrom()
			images = append(images, i)
		}
	}
	return images, held
}

// TestCopy copies an image with its referrers from one registry to another, and to another
// repository of the same registry, where everything is mounted.
func TestCopy(t *testing.T) {
	c := newCargo(t, 30_000)
	a, b := separate(t), separate(t)
	from := c.to(a, "/staging")
	if done := c.pushAll(quick, []destination{from}); done[0].Err != nil {
		t.Fatal(done[0].Err)
	}
	repo, agent := from.Images[0].Ref.Context(), c.trees["agent"]
	sbom := attach(t, repo, agent.Desc, "an SBOM", "")
	about := attach(t, repo, v1.Descriptor{MediaType: types.OCIManifestSchema1, Digest: sbom, Size: 1},
		"about the SBOM", "")
	child := attach(t, repo, agent.Children[2].Desc, "about Windows", "")
	signature := "sha256-" + agent.Desc.Digest.Hex + ".sig"
	attach(t, repo, agent.Desc, "a signature", signature)

	var broken atomic.Bool // one connection
	a.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodGet && strings.Contains(q.URL.Path, "/blobs/") && broken.CompareAndSwap(false, true) {
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("x")[:0]) //nolint:errcheck // the client of this test
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		return false
	})
	for _, to := range []struct {
		*registrytest.Server
		path string
	}{{b, "final/agent"}, {a, "elsewhere/agent"}} {
		target := to.Repo(t, to.path)
		client := transfer.New(quick)
		a.Reset()
		images, held := copied(t, client, repo.Digest(agent.Desc.Digest.String()), target.Tag("2"))
		if len(held) != 5 {
			t.Fatalf("%d documents with what refers to them, want 5", len(held))
		}
		r, err := client.Push(t.Context(), images, client.FromRegistry(t.Context(), held), release)
		if err != nil {
			t.Fatal(err)
		}
		if to.Server == a && r.Blobs != 0 {
			t.Errorf("%d blobs were sent within one registry", r.Blobs)
		}
		c.check(destination{Images: images[:1]})
		for _, h := range []v1.Hash{sbom, about, child} {
			got, err := remote.Image(target.Digest(h.String()))
			if err != nil {
				t.Fatal(err)
			}
			layers, err := got.Layers()
			if err != nil {
				t.Fatal(err)
			}
			r, err := layers[0].Compressed()
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(r); err != nil || !strings.Contains(string(text), "SBOM") &&
				string(text) != "about Windows" {
				t.Errorf("%s says %q, %v", h, text, err)
			}
		}
		idx, err := remote.Referrers(target.Digest(agent.Desc.Digest.String()))
		if err != nil {
			t.Fatal(err)
		}
		m, err := idx.IndexManifest()
		if err != nil || len(m.Manifests) != 1 || m.Manifests[0].Digest != sbom {
			t.Errorf("the registry lists %+v, %v", m, err)
		}
		if _, err := remote.Head(target.Tag(signature)); err != nil {
			t.Error(err)
		}
		if !broken.Load() {
			t.Error("no connection broke off")
		}

		to.Reset()
		images, held = copied(t, client, repo.Digest(agent.Desc.Digest.String()), target.Tag("2"))
		if _, err := client.Push(t.Context(), images, client.FromRegistry(t.Context(), held), release); err != nil {
			t.Fatal(err)
		}
		if n := to.Count("P", ""); n != 0 {
			t.Errorf("the second copy wrote %d times", n)
		}
	}
}

// TestReadMissing reads images of which some, or some of their documents, are not there.
func TestReadMissing(t *testing.T) {
	c := newCargo(t, 1000)
	s := separate(t)
	from := c.to(s, "")
	if done := c.pushAll(quick, []destination{from}); done[0].Err != nil {
		t.Fatal(done[0].Err)
	}
	lost := "/manifests/" + c.trees["agent"].Children[1].Desc.Digest.String()
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if strings.HasSuffix(q.URL.Path, lost) {
			registrytest.Lacks(w)
			return true
		}
		return false
	})
	var refs []name.Digest
	for _, i := range from.Images {
		refs = append(refs, i.Ref.Context().Digest(i.Tree.Desc.Digest.String()))
	}
	refs = append(refs, s.Repo(t, "none").Digest("sha256:"+strings.Repeat("0", 64)))
	_, err := transfer.New(quick).Read(t.Context(), refs)
	for n, want := range []bool{true, false, false, true} {
		if got := err != nil && strings.Contains(err.Error(), refs[n].String()+" is not in the registry"); got != want {
			t.Errorf("%s: %v", refs[n], err)
		}
	}
}
