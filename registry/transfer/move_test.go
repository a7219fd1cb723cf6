package transfer_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// indexes puts an empty index per version into a repository, by digest.
func indexes(t *testing.T, repo name.Repository, versions ...string) (all []*oci.Tree) {
	t.Helper()
	for _, v := range versions {
		raw, err := oci.MakeIndex(nil, map[string]string{
			"org.opencontainers.image.version": v,
			"org.opencontainers.image.created": "2026-11-21T00:00:00Z",
		})
		if err != nil {
			t.Fatal(err)
		}
		h, n, err := v1.SHA256(strings.NewReader(string(raw)))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := oci.Parse(v1.Descriptor{MediaType: types.OCIImageIndex, Digest: h, Size: n}, raw)
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Put(repo.Digest(h.String()), document{tree}); err != nil {
			t.Fatal(err)
		}
		all = append(all, tree)
	}
	return all
}

type document struct{ *oci.Tree }

func (d document) RawManifest() ([]byte, error)        { return d.Raw, nil }
func (d document) MediaType() (types.MediaType, error) { return d.Desc.MediaType, nil }

// TestMove moves tags from every state: those that may move do so, whatever becomes of the others.
func TestMove(t *testing.T) {
	s := registrytest.Serve(t)
	repo := s.Repo(t, "team/app")
	all := indexes(t, repo, "1.0.0", "1.1.0", "2.0.0")
	was, is, other := all[0], all[1], all[2]
	for tag, tree := range map[string]*oci.Tree{"old": was, "current": is, "stolen": other, "lost": was} {
		if err := remote.Put(repo.Tag(tag), document{tree}); err != nil {
			t.Fatal(err)
		}
	}
	s.Reset()
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodPut || !strings.HasSuffix(q.URL.Path, "/lost") {
			return false
		}
		io.Copy(io.Discard, q.Body) //nolint:errcheck // a test's own connection
		w.WriteHeader(http.StatusCreated)
		return true
	})
	moves := []transfer.Move{
		{Ref: repo.Tag("old"), Tree: is, From: was.Desc.Digest},
		{Ref: repo.Tag("current"), Tree: is, From: was.Desc.Digest},
		{Ref: repo.Tag("stolen"), Tree: is, From: was.Desc.Digest},
		{Ref: repo.Tag("lost"), Tree: is, From: was.Desc.Digest},
		{Ref: repo.Tag("new"), Tree: is},
		{Ref: repo.Tag("vanished"), Tree: is, From: was.Desc.Digest},
	}
	moved, err := transfer.New(quick).Move(t.Context(), moves)
	if want := []bool{true, false, false, true, true, false}; !slices.Equal(moved, want) {
		t.Errorf("moved %v, want %v", moved, want)
	}
	for _, want := range []string{
		"moving " + repo.Tag("stolen").String() + ": it is " + other.Desc.Digest.String() + " now, and was " +
			was.Desc.Digest.String(),
		repo.Tag("lost").String() + ": the registry reports afterwards that it is " + was.Desc.Digest.String(),
		"moving " + repo.Tag("vanished").String() + ": it is no image now",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if n := s.Count("PUT", ""); n != 3 {
		t.Errorf("%d tags were put, want 3", n)
	}
	for tag, want := range map[string]*oci.Tree{"old": is, "current": is, "stolen": other, "lost": was, "new": is} {
		now, err := transfer.New(quick).Current(t.Context(), repo.Tag(tag))
		if err != nil || now.Digest != want.Desc.Digest {
			t.Errorf("%s is %s, want %s: %v", tag, now.Digest, want.Desc.Digest, err)
		}
	}
}

// TestCurrent asks what tags name: where version and time are stated in each of their places, and
// where they are not.
func TestCurrent(t *testing.T) {
	s := registrytest.Serve(t)
	repo := s.Repo(t, "team/app")
	labels := func(img v1.Image, l map[string]string) v1.Image {
		c, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		c = c.DeepCopy()
		c.Config.Labels = l
		if img, err = mutate.ConfigFile(img, c); err != nil {
			t.Fatal(err)
		}
		return img
	}
	both := func(version, created string) map[string]string {
		return map[string]string{
			"org.opencontainers.image.version": version,
			"org.opencontainers.image.created": created,
		}
	}
	plain, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	labeled := labels(plain, both("1.0.0", "2026-01-02T03:04:05+01:00"))
	annotated := mutate.Annotations(labeled, map[string]string{"org.opencontainers.image.version": "2.0.0"}).(v1.Image)
	over := func(img v1.Image) v1.ImageIndex {
		provenance := mutate.IndexAddendum{
			Add:        plain,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "unknown", Architecture: "unknown"}},
		}
		return mutate.AppendManifests(empty.Index, provenance, mutate.IndexAddendum{
			Add:        img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "amd64"}},
		})
	}
	wrong := labels(plain, both(strings.Repeat("1", 200), "yesterday"))
	for tag, img := range map[string]partial.Describable{
		"plain": plain, "labeled": labeled, "annotated": annotated, "index": over(annotated), "wrong": wrong,
		"top": mutate.Annotations(over(annotated), both("3.0.0", "2026-03-03T00:00:00Z")).(v1.ImageIndex),
	} {
		var err error
		switch img := img.(type) {
		case v1.Image:
			err = remote.Write(repo.Tag(tag), img)
		case v1.ImageIndex:
			err = remote.WriteIndex(repo.Tag(tag), img)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	raw, err := oci.MakeIndex(
		[]v1.Descriptor{{MediaType: types.OCIManifestSchema1, Digest: v1.Hash{
			Algorithm: "sha256",
			Hex:       strings.Repeat("0", 64),
		}, Size: 100, Platform: &v1.Platform{OS: "linux", Architecture: "amd64"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sparse := &oci.Tree{Desc: v1.Descriptor{MediaType: types.OCIImageIndex}, Raw: raw}
	s.Inner = withManifest(s.Inner, "/v2/team/app/manifests/sparse", sparse)

	january, march := time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC), time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)
	for tag, want := range map[string]imagetag.Stamp{
		"plain": {}, "labeled": {Version: "1.0.0", Created: january}, "annotated": {Version: "2.0.0", Created: january},
		"index": {Version: "2.0.0", Created: january}, "top": {Version: "3.0.0", Created: march},
		"wrong": {}, "sparse": {},
	} {
		now, err := transfer.New(quick).Current(t.Context(), repo.Tag(tag))
		if err != nil || now.Digest == (v1.Hash{}) || now.Stamp != want {
			t.Errorf("%s: %+v, %v; want %+v", tag, now, err, want)
		}
	}
	if now, err := transfer.New(quick).Current(t.Context(), repo.Tag("none")); err != nil ||
		now != (transfer.Current{}) {
		t.Errorf("a tag that is not there: %+v, %v", now, err)
	}
	s.Disturb(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	if _, err := transfer.New(quick).Current(t.Context(), repo.Tag("top")); err == nil ||
		!strings.Contains(err.Error(), "looking at "+repo.Tag("top").String()) {
		t.Errorf("a registry that refuses: %v", err)
	}
}

// withManifest answers one path with a document that the registry would not take.
func withManifest(inner http.Handler, path string, t *oci.Tree) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != path {
			inner.ServeHTTP(w, q)
			return
		}
		w.Header().Set("Content-Type", string(t.Desc.MediaType))
		w.Write(t.Raw) //nolint:errcheck // a test's own connection
	})
}
