package release_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/release"
)

// TestBaseJudged: what an image starts is judged with the files of its base, whatever the store
// has, and before anything is pushed.
func TestBaseJudged(t *testing.T) {
	for name, c := range map[string]struct {
		config v1.Config
		want   string
	}{
		"mode":     {v1.Config{Entrypoint: []string{"/tool"}, User: "1000"}, "/tool"},
		"no file":  {v1.Config{Entrypoint: []string{"/absent"}}, "/absent"},
		"it is it": {v1.Config{Entrypoint: []string{"/fine"}, User: "1000"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSmall(t, nil)
			base := s.push(t, "up/tool:1", indextest.Filled(t, v1.ConfigFile{
				OS: "linux", Architecture: "amd64", Config: c.config,
			}, indextest.Files{"tool:0644=#!/fine\n", "fine=\x7fELF"}))
			s.write(t, map[string]string{"Dockerfile": "FROM " + base + "\n"})
			s.registry.Reset()
			var said []string
			for _, store := range []string{"cold", "warm"} {
				err := s.release(t)
				if err == nil {
					err = errors.New("")
				}
				said = append(said, err.Error())
				if n := s.tagged(); c.want != "" && n > 0 {
					t.Errorf("with a %s store %d manifests are pushed", store, n)
				}
			}
			if said[0] != said[1] || !strings.Contains(said[0], c.want) || (said[0] == "") != (c.want == "") {
				t.Errorf("cold: %s\nwarm: %s", said[0], said[1])
			}
		})
	}
}

// TestThirdPartyGone: a release, its check and its plan ask for pinned images of others, also for
// those that the store has. That a registry lacks one, and that it does not say, are two errors.
func TestThirdPartyGone(t *testing.T) {
	s := newSmall(t, nil)
	image := s.push(t, "up/tool:1", indextest.Index(t, "linux/amd64"))
	s.write(t, map[string]string{"images.txt": image + "\n"})
	if err := s.release(t); err != nil {
		t.Fatal(err)
	}
	for status, want := range map[int]string{
		http.StatusNotFound:  image + " is not in its registry",
		http.StatusForbidden: image + " could not be asked for",
	} {
		s.registry.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
			refused := strings.HasPrefix(r.URL.Path, "/v2/up/tool/manifests/")
			switch {
			case refused && status == http.StatusNotFound:
				registrytest.Lacks(w)
			case refused:
				w.WriteHeader(status)
			}
			return refused
		})
		says(t, s.release(t), "images.txt:1:1: ", want)
		_, err := release.Check(t.Context(), s.load(t))
		says(t, err, "images.txt:1:1: ", want)
		plan, err := release.MakePlan(t.Context(), s.load(t), release.Options{Out: s.dist()})
		if err != nil {
			t.Fatal(err)
		}
		says(t, plan.Err(), "images.txt:1:1: ", want)
		if outcome.Failed(plan.Err()) != (status == http.StatusForbidden) {
			t.Errorf("%d: an outage: %t", status, outcome.Failed(plan.Err()))
		}
	}
}

// TestManifestGone: a manifest that the registry has lost is missed from a cold store as from a
// warm one, by check, plan and release.
func TestManifestGone(t *testing.T) {
	for _, store := range []string{"cold", "warm"} {
		s := newSmall(t, nil)
		index := indextest.Index(t, "linux/amd64", "linux/arm64")
		s.write(t, map[string]string{"images.txt": s.push(t, "up/tool:1", index) + "\n"})
		if store == "warm" {
			if err := s.release(t); err != nil {
				t.Fatal(err)
			}
		}
		m, err := index.IndexManifest()
		if err != nil {
			t.Fatal(err)
		}
		gone := m.Manifests[0].Digest.String()
		s.registry.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
			lost := strings.HasSuffix(r.URL.Path, "/up/tool/manifests/"+gone)
			if lost {
				registrytest.Lacks(w)
			}
			return lost
		})
		_, checked := release.Check(t.Context(), s.load(t))
		plan, err := release.MakePlan(t.Context(), s.load(t), release.Options{Out: s.dist()})
		if err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{"check": checked, "plan": plan.Err(), "release": s.release(t)} {
			if err == nil || !strings.Contains(err.Error(), gone) || outcome.Failed(err) {
				t.Errorf("%s, %s: %v", store, what, err)
			}
		}
	}
}

// TestEvidenceSince: what was attached to an image of others since the last release is in the next
// one, from an old store as from a new one.
func TestEvidenceSince(t *testing.T) {
	s := newSmall(t, nil)
	image := s.push(t, "up/tool:1", indextest.Index(t, "linux/amd64"))
	s.write(t, map[string]string{"images.txt": image + "\n"})
	if err := s.release(t); err != nil {
		t.Fatal(err)
	}
	ref, err := name.NewDigest(image)
	if err != nil {
		t.Fatal(err)
	}
	h, err := v1.NewHash(ref.DigestStr())
	if err != nil {
		t.Fatal(err)
	}
	of, err := remote.Head(ref)
	if err != nil {
		t.Fatal(err)
	}
	registrytest.Sign(t, ref.Context(), "bundle", of, h)
	for _, store := range []string{"old", "new"} {
		if store == "new" {
			if err := os.RemoveAll(filepath.Join(s.dir, ".slipway")); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.release(t); err != nil {
			t.Fatal(err)
		}
		l, err := lock.Read(filepath.Join(s.dist(), lock.Name))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(l.ThirdParty[0].Referrers); n != 1 {
			t.Errorf("with the %s store the release has %d referrers, want 1", store, n)
		}
	}
}

// TestRequests: a check reads an index, and the manifest and the configuration for a platform of
// the product; of what the store has, it asks for the index alone. It reads no layer, of a base
// either. A release reads nothing twice but indexes.
func TestRequests(t *testing.T) {
	s := newSmall(t, nil)
	image := s.push(t, "up/tool:1", indextest.Index(t, "linux/amd64", "linux/arm64", "attestation"))
	base := s.push(t, "up/base:1", indextest.Index(t, "linux/amd64"))
	s.write(t, map[string]string{"images.txt": image + "\n", "Dockerfile": "FROM " + base + "\nUSER 1000\n"})
	count := func(what, repo string, documents, blobs int) {
		t.Helper()
		read := s.registry.Count(http.MethodGet, "/v2/up/"+repo+"/manifests/sha256:")
		if b := s.registry.Count(http.MethodGet, "/v2/up/"+repo+"/blobs/"); read != documents || b != blobs {
			t.Errorf("%s reads %d documents and %d blobs of %s, want %d and %d", what, read, b, repo, documents, blobs)
		}
	}
	check := func() {
		t.Helper()
		s.registry.Reset()
		if _, err := release.Check(t.Context(), s.load(t)); err != nil {
			t.Fatal(err)
		}
	}
	check()
	count("a check", "tool", 2, 1)
	count("a check", "base", 2, 1)
	s.registry.Reset()
	if err := s.release(t); err != nil {
		t.Fatal(err)
	}
	count("a release", "tool", 5, 6)
	check()
	count("a check of what was released", "tool", 2, 0)
}
