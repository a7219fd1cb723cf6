package publish_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

const (
	sbomType      types.MediaType = "application/spdx+json"
	signatureType types.MediaType = "application/vnd.dev.cosign.simplesigning.v1+json"
)

// artifact is a manifest that contains text; about may be nil.
func artifact(t *testing.T, text string, mt types.MediaType, about *v1.Descriptor) v1.Image {
	t.Helper()
	img, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		static.NewLayer([]byte(text), mt))
	if err != nil {
		t.Fatal(err)
	}
	img = mutate.ConfigMediaType(img, types.OCIConfigJSON)
	if about != nil {
		img = mutate.Subject(mutate.ConfigMediaType(img, mt), *about).(v1.Image)
	}
	return img
}

// attach puts an SBOM by reference to a subject, a signature of the SBOM, and one by cosign's tag
// into a repository, and returns what a lock has of them.
func attach(t *testing.T, repo name.Repository, top v1.Hash, about ...v1.Descriptor) []oci.Referrer {
	t.Helper()
	var want []oci.Referrer
	put := func(ref name.Reference, img v1.Image, r oci.Referrer) v1.Descriptor {
		d := desc(t, img)
		if ref == nil {
			ref = repo.Digest(d.Digest.String())
		}
		if err := remote.Write(ref, img); err != nil {
			t.Fatal(err)
		}
		r.MediaType, r.Digest, r.Size = d.MediaType, d.Digest, d.Size
		if r.Subject == top {
			r.Subject = v1.Hash{}
		}
		want = append(want, r)
		return d
	}
	for _, d := range about {
		d := v1.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}
		sbom := put(nil, artifact(t, "sbom of "+d.Digest.Hex, sbomType, &d),
			oci.Referrer{ArtifactType: string(sbomType), Subject: d.Digest})
		put(nil, artifact(t, "signature of "+sbom.Digest.Hex, signatureType, &sbom),
			oci.Referrer{ArtifactType: string(signatureType), Subject: sbom.Digest})
		tag := "sha256-" + d.Digest.Hex + ".sig"
		put(repo.Tag(tag), artifact(t, "signed "+d.Digest.Hex, signatureType, nil),
			oci.Referrer{ArtifactType: string(signatureType), Subject: d.Digest, Tag: tag})
	}
	return want
}

func desc(t *testing.T, img v1.Image) v1.Descriptor {
	t.Helper()
	h, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	n, err := img.Size()
	if err != nil {
		t.Fatal(err)
	}
	mt, err := img.MediaType()
	if err != nil {
		t.Fatal(err)
	}
	return v1.Descriptor{MediaType: mt, Digest: h, Size: n}
}

// same compares what a lock has with what was attached, in any order, and looks whether the store
// has all of it.
func same(t *testing.T, st *store.Store, got, want []oci.Referrer) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d referrers are in the lock, %d are in the registry:\n%+v", len(got), len(want), got)
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("the lock lacks %+v, it has\n%+v", w, got)
		}
	}
	for _, r := range got {
		hasImage(t, st, r.Digest)
	}
}

// TestReferrers: the referrers of an image are found with the referrers API and without, and get
// into the store and the lock, for third-party images and for ours, once they are in the
// registry.
func TestReferrers(t *testing.T) {
	for _, api := range []bool{true, false} {
		t.Run(fmt.Sprintf("api %v", api), func(t *testing.T) {
			p, st, l := cut(t, 500)
			s := registrytest.Serve(t, ggcr.WithReferrersSupport(api))
			p.Registry = s.Host()
			img, err := random.Image(100, 1)
			if err != nil {
				t.Fatal(err)
			}
			child := desc(t, img)
			idx := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex),
				mutate.IndexAddendum{
					Add:        img,
					Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "amd64"}},
				})
			repo, err := name.NewRepository(s.Host() + "/tool")
			if err != nil {
				t.Fatal(err)
			}
			if err := remote.WriteIndex(repo.Tag("1"), idx); err != nil {
				t.Fatal(err)
			}
			h, err := idx.Digest()
			if err != nil {
				t.Fatal(err)
			}
			n, err := idx.Size()
			if err != nil {
				t.Fatal(err)
			}
			want := attach(t, repo, h, v1.Descriptor{MediaType: types.OCIImageIndex, Digest: h, Size: n}, child)
			p.Airgap.Images = list(t, s.Host()+"/tool:1", s.Host()+"/tool@"+h.String())

			out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
			if err != nil {
				t.Fatal(err)
			}
			for _, tp := range out.ThirdParty {
				same(t, st, tp.Referrers, want)
			}
			for _, i := range out.Images {
				if len(i.Referrers) != 0 {
					t.Errorf("%s has referrers before it was pushed: %+v", i.Name, i.Referrers)
				}
			}

			// Another user signs ours; the next run sees it, and fetches nothing of what is pinned.
			own, err := name.NewRepository(out.Images[1].Repository)
			if err != nil {
				t.Fatal(err)
			}
			i := out.Images[1]
			want = attach(t, own, i.Digest, v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest, Size: i.Size})
			p.Airgap.Images = p.Airgap.Images[1:]
			s.Reset()
			again, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
			if err != nil {
				t.Fatal(err)
			}
			same(t, st, again.Images[1].Referrers, want)
			if !slices.Equal(again.ThirdParty[0].Referrers, out.ThirdParty[1].Referrers) {
				t.Errorf("of the pinned image the lock now has %+v", again.ThirdParty[0].Referrers)
			}
			if n := s.Count("GET", "/tool/blobs/") + s.Count("GET", "/tool/manifests/sha256:"); n != 0 {
				t.Errorf("%d documents are fetched of a pinned image that is in the store", n)
			}

			// Another machine brings all of it from the registry.
			other := storetest.Open(t)
			if err := transfer.New(quick).Pull(t.Context(), other, again); err != nil {
				t.Fatal(err)
			}
			same(t, other, again.Images[1].Referrers, want)
		})
	}
}

// TestReferrersFail: a registry that does not list the referrers of an image stops the release,
// before anything is pushed.
func TestReferrersFail(t *testing.T) {
	p, st, l := cut(t, 100)
	s := registrytest.Serve(t)
	h := registrytest.Pause(t, s.Host()+"/pause:3.10", s.URL, nil)
	if _, err := st.PutBytes(nil); err != nil {
		t.Fatal(err)
	}
	p.Registry = s.Host()
	p.Airgap.Images = list(t, s.Host()+"/pause@"+h.String())
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if !strings.Contains(q.URL.Path, ".sig") {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	_, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err == nil || !strings.Contains(err.Error(), "looking for the referrers of "+s.Host()+"/pause@") ||
		!strings.Contains(err.Error(), "403") {
		t.Errorf("error %v", err)
	}
	if n := s.Count("PUT", "/demo/") + s.Count("POST", "/demo/"); n != 0 {
		t.Errorf("%d requests pushed images although the release cannot be complete", n)
	}
}

// TestFallbacks: the lock records on which of the release's Windows nodes a third-party image
// runs that lacks their build.
func TestFallbacks(t *testing.T) {
	p, st, l := cut(t, 100)
	s := registrytest.Serve(t)
	idx := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, v := range []string{"10.0.20348.9", "10.0.25398.1"} {
		img, err := random.Image(100, 1)
		if err != nil {
			t.Fatal(err)
		}
		idx = mutate.AppendManifests(idx, mutate.IndexAddendum{
			Add:        img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "windows", Architecture: "amd64", OSVersion: v}},
		})
	}
	ref, err := name.ParseReference(s.Host() + "/sidecar:1")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(ref, idx); err != nil {
		t.Fatal(err)
	}
	p.Airgap.Images = list(t, ref.String())
	for _, v := range []string{"10.0.17763", "10.0.20348", "10.0.26100"} {
		p.Airgap.Bundles = append(p.Airgap.Bundles,
			product.Bundle{Name: v, Platform: platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: v}})
	}
	out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err != nil {
		t.Fatal(err)
	}
	want := []lock.Fallback{{
		Platform: platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.26100"},
		Runs:     platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.25398.1"},
	}}
	if got := out.ThirdParty[0].Fallbacks; !slices.Equal(got, want) {
		t.Errorf("the lock has %+v, want %+v", got, want)
	}
}
