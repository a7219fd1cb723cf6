package audit_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	ggcr "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lint"
)

// beside returns the findings of arguments, without those of the version before.
func beside(t *testing.T, args ...string) (all []string) {
	t.Helper()
	r := audit.NewReader(network.Options{Wait: time.Millisecond, Attempts: 2, Jobs: 4})
	r.Before = audit.NoBefore
	return judged(t, r, lint.IndexOptions{Now: now}, args...)
}

var otherDigest = v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}

func self(h v1.Hash) v1.Hash { return h }
func other(v1.Hash) v1.Hash  { return otherDigest }

// TestEvidence signs an index and its images in each form, in a registry with the referrers API,
// and in one with the tag in its place; then it signs something else, and removes what it has
// signed.
func TestEvidence(t *testing.T) {
	for api, r := range map[string]*registrytest.Server{
		"api": registrytest.Serve(t, ggcr.WithReferrersSupport(true)), "tag": registrytest.Serve(t),
	} {
		for _, form := range []string{".sig", ".att", "bundle"} {
			t.Run(api+form, func(t *testing.T) {
				repo := r.Repo(t, strings.Trim(form, ".")+"/app")
				ref := repo.Tag("1").String()
				i := indextest.Index(t, "linux/amd64", "linux/arm64")
				must(t, remote.WriteIndex(repo.Tag("1"), i))
				check := func(want ...string) {
					t.Helper()
					if diff := cmp.Diff(want, beside(t, ref)); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				}
				check()
				top := indextest.Describe(t, i)
				registrytest.Sign(t, repo, form, top, top.Digest)
				if form == ".att" {
					check() // an attestation in the form of cosign 2 is no signature of the image
				} else {
					check("note evidence-entries")
				}
				m, err := i.IndexManifest()
				must(t, err)
				registrytest.Sign(t, repo, form, &m.Manifests[0], m.Manifests[0].Digest)
				registrytest.Sign(t, repo, form, &m.Manifests[1], m.Manifests[1].Digest)
				check()
				last := registrytest.Sign(t, repo, form, &m.Manifests[1], otherDigest)
				check("warning manifests[1] evidence-subject")
				h, err := last.Digest()
				must(t, err)
				if form == "bundle" && api == "tag" { // the list under the tag stays
					must(t, remote.Delete(repo.Digest(h.String())))
					check("warning manifests[1] evidence-lost")
				}
			})
		}
	}
}

// TestAttestations looks at the attestations that BuildKit puts into an index, in a registry and in
// archives.
func TestAttestations(t *testing.T) {
	r := registrytest.Serve(t)
	const note = "note manifests[1] index-attestation"
	for label, tc := range map[string]struct {
		listed, is func(v1.Hash) v1.Hash
		want       []string
	}{
		"right":           {self, self, []string{note}},
		"another subject": {self, other, []string{"warning manifests[1] evidence-subject", note}},
		"no entry":        {other, self, []string{"warning manifests[1] evidence-lost", note}},
	} {
		t.Run(label, func(t *testing.T) {
			i := indextest.Attested(t, tc.listed, tc.is)
			repo := r.Repo(t, strings.ReplaceAll(label, " ", "-"))
			must(t, remote.WriteIndex(repo.Tag("1"), i))
			dir := archivetest.Layout(t, map[string]mutate.Appendable{"docker.io/library/app:1": i})
			for _, arg := range []string{repo.Tag("1").String(), dir, archivetest.Pack(t, dir, "zst")} {
				if diff := cmp.Diff(tc.want, beside(t, arg)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", arg, diff)
				}
			}
			if label != "right" {
				return
			}
			m, err := i.IndexManifest()
			must(t, err)
			must(t, remote.Delete(repo.Digest(m.Manifests[1].Digest.String())))
			if diff := cmp.Diff([]string{"warning manifests[1] evidence-lost", note}, beside(t, repo.Tag("1").String())); diff != "" {
				t.Error(diff)
			}
			other := indextest.Index(t, "linux/amd64", "linux/arm64") // one of two: a registry leaves none out on purpose
			must(t, remote.WriteIndex(repo.Tag("2"), other))
			o, err := other.IndexManifest()
			must(t, err)
			must(t, remote.Delete(repo.Digest(o.Manifests[1].Digest.String())))
			if diff := cmp.Diff([]string{"error manifests[1] index-missing"}, beside(t, repo.Tag("2").String())); diff != "" {
				t.Error(diff)
			}
			must(t, remote.Delete(repo.Digest(m.Manifests[0].Digest.String())))
			want := []string{"error manifests[0] index-missing", note}
			if diff := cmp.Diff(want, beside(t, repo.Tag("1").String())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEvidenceRequests counts requests: of an index without evidence a page of tags and a list of
// referrers, of one that is signed a list for each entry and two for each document, and nothing
// twice.
func TestEvidenceRequests(t *testing.T) {
	without := registrytest.Serve(t) // the tag in place of the API is not there, which the page of tags says
	must(t, remote.WriteIndex(without.Repo(t, "app").Tag("1.0.0"), indextest.Index(t, "linux/amd64")))
	without.Reset()
	beside(t, without.Repo(t, "app").Tag("1.0.0").String())
	if n := without.Count("", "/manifests/sha256-"); n != 0 {
		t.Errorf("%d requests for a tag that is not there", n)
	}
	r := registrytest.Serve(t, ggcr.WithReferrersSupport(true))
	repo := r.Repo(t, "app")
	i := indextest.Index(t, "linux/amd64", "linux/arm64")
	must(t, remote.WriteIndex(repo.Tag("1.0.0"), i))
	must(t, remote.WriteIndex(repo.Tag("same"), i))
	counts := func() map[string]int {
		r.Reset()
		beside(t, repo.Tag("1.0.0").String(), repo.Tag("same").String())
		got := map[string]int{}
		for _, part := range []string{"/tags/list", "/referrers/", "/manifests/sha256-"} {
			got[part] = r.Count("", part)
		}
		return got
	}
	if diff := cmp.Diff(map[string]int{"/tags/list": 1, "/referrers/": 1, "/manifests/sha256-": 0}, counts()); diff != "" {
		t.Error(diff)
	}
	top := indextest.Describe(t, i)
	registrytest.Sign(t, repo, ".sig", top, top.Digest)
	registrytest.Sign(t, repo, ".att", top, top.Digest)
	if diff := cmp.Diff(map[string]int{"/tags/list": 1, "/referrers/": 3, "/manifests/sha256-": 2}, counts()); diff != "" {
		t.Error(diff)
	}
	for n := range 80 { // more than are read
		img := mutate.Annotations(indextest.Proof(t, "bundle", top.Digest), map[string]string{"n": strconv.Itoa(n)}).(v1.Image)
		img = mutate.Subject(img, *top).(v1.Image)
		h, err := img.Digest()
		must(t, err)
		must(t, remote.Write(repo.Digest(h.String()), img))
	}
	counts()
	if n := r.Count("", "/manifests/sha256:"); n != 2+62 { // those of both images, and what is left of 64
		t.Errorf("%d manifests by digest", n)
	}
}

// TestTwins: two tags of one version, and latest.
func TestTwins(t *testing.T) {
	r := registrytest.Serve(t)
	repo := r.Repo(t, "app")
	push := func(tag string, i v1.ImageIndex) { must(t, remote.WriteIndex(repo.Tag(tag), i)) }
	old, middle := indextest.Index(t, "linux/amd64"), indextest.Index(t, "linux/amd64")
	push("v1.0.0", old)
	push("1.0.0", middle)
	push("v1.1.0", middle)
	push("1.1.0", middle)
	push("latest", middle)
	push("v2.0.0-rc.1", old)
	for tag, want := range map[string][]string{
		"v1.0.0": {"warning tag-twin"}, "1.0.0": {"warning tag-twin", "note tag-latest"}, "v1.1.0": nil, "1.1.0": nil,
		"latest": nil, "v2.0.0-rc.1": nil,
	} {
		got := beside(t, repo.Tag(tag).String())
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", tag, diff)
		}
	}
	for _, tag := range []string{"v1.5.0", "1.5.0"} { // of which the label has the other form
		other := r.Repo(t, "labeled-"+tag)
		label := map[string]string{"org.opencontainers.image.version": "1.0.0"}
		must(t, remote.WriteIndex(other.Tag("latest"), mutate.Annotations(old, label).(v1.ImageIndex)))
		must(t, remote.WriteIndex(other.Tag(tag), middle))
		if diff := cmp.Diff([]string{"note tag-latest"}, beside(t, other.Tag("latest").String())); diff != "" {
			t.Error(diff)
		}
	}
}

// TestBesideHostile: a registry that lists neither tags nor referrers is no finding, and one that
// answers with anything but a list could not be read; none ends the command.
func TestBesideHostile(t *testing.T) {
	r := registrytest.Serve(t, ggcr.WithReferrersSupport(true))
	repo := r.Repo(t, "app")
	i := indextest.Index(t, "linux/amd64")
	must(t, remote.WriteIndex(repo.Tag("1.0.0"), i))
	status := func(n int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(n) }
	}
	list := func(text string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", string(types.OCIImageIndex))
			fmt.Fprint(w, text)
		}
	}
	lost := []v1.Descriptor{{MediaType: types.OCIManifestSchema1, Digest: otherDigest, Size: 2, ArtifactType: indextest.BundleType}}
	one, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, Manifests: lost})
	must(t, err)
	many, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, Manifests: slices.Repeat(lost, 900)})
	must(t, err)
	for label, tc := range map[string]struct {
		part   string
		answer func(http.ResponseWriter, *http.Request)
		want   []string
	}{
		"no referrers":     {"/referrers/", status(http.StatusNotFound), nil},
		"no such request":  {"/referrers/", status(http.StatusMethodNotAllowed), nil},
		"no tags":          {"/tags/list", status(http.StatusNotImplemented), []string{"skipped"}},
		"fails":            {"/referrers/", status(http.StatusInternalServerError), []string{"unread"}},
		"no list":          {"/referrers/", list("{"), []string{"unread"}},
		"deep":             {"/referrers/", list(strings.Repeat("[", 100)), []string{"unread"}},
		"tags are no list": {"/tags/list", list("<html>"), []string{"unread"}},
		"signed once, and that is lost": {
			"/referrers/" + indextest.Describe(t, i).Digest.String(), list(string(one)), []string{"warning evidence-lost"},
		},
		"many, not there": {
			"/referrers/", list(string(many)),
			append(slices.Repeat([]string{"warning evidence-lost"}, 64), "skipped"),
		},
	} {
		t.Run(label, func(t *testing.T) {
			r.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				if !strings.Contains(q.URL.Path, tc.part) {
					return false
				}
				tc.answer(w, q)
				return true
			})
			defer r.Disturb(nil)
			r.Reset()
			if diff := cmp.Diff(tc.want, beside(t, repo.Tag("1.0.0").String())); diff != "" {
				t.Error(diff)
			}
			if n := r.Count("", ""); n > 2*64+14 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestBesideNoList: what a registry has under the tag that lists referrers, and is no list, is a
// finding.
func TestBesideNoList(t *testing.T) {
	repo := registrytest.Serve(t).Repo(t, "app")
	i := indextest.Index(t, "linux/amd64")
	must(t, remote.WriteIndex(repo.Tag("1.0.0"), i))
	tag := strings.Replace(indextest.Describe(t, i).Digest.String(), ":", "-", 1)
	must(t, remote.Write(repo.Tag(tag), indextest.Image(t, "linux/amd64", types.OCIManifestSchema1)))
	if got := beside(t, repo.Tag("1.0.0").String()); !slices.Equal(got, []string{"note evidence-unreadable"}) {
		t.Errorf("it has %s", got)
	}
}
