package transfer_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// referring is an image with an SBOM, a signature of the SBOM, a note, and evidence of the release.
type referring struct {
	t     *testing.T
	store *store.Store
	image *oci.Tree
	// about has the trees by their kinds.
	about map[string]*oci.Tree
}

const (
	sbomKind = "application/vnd.example.sbom"
	signKind = "application/vnd.example.signature"
	noteKind = "application/vnd.example.note"
)

func newReferring(t *testing.T) *referring {
	t.Helper()
	r := &referring{t: t, store: storetest.Open(t), about: map[string]*oci.Tree{}}
	d := storetest.Release(t, r.store, 100).Images[0].Descriptor()
	r.image = r.read(d)
	about := func(kind string, to v1.Descriptor) v1.Descriptor {
		a := bundletest.Attached(t, r.store, kind, kind, "", to).Descriptor()
		r.about[kind] = r.read(a)
		return r.about[kind].Desc
	}
	about(signKind, about(sbomKind, d))
	about(noteKind, d)
	about(signature.BundleType, d)
	return r
}

func (r *referring) read(d v1.Descriptor) *oci.Tree {
	r.t.Helper()
	t, err := oci.Read(d, r.store.Get, oci.Limits{})
	if err != nil {
		r.t.Fatal(err)
	}
	return t
}

// push pushes the image with artifacts of some kinds, and returns what was said.
func (r *referring) push(to *registrytest.Server, rule oci.ReferrerRule, kinds ...string) (
	*transfer.Result, string, error,
) {
	r.t.Helper()
	repo, err := name.NewRepository(to.Host() + "/demo/agent")
	if err != nil {
		r.t.Fatal(err)
	}
	images := []transfer.Image{{Name: "agent", Ref: repo.Tag("v1"), Tree: r.image}}
	for _, kind := range kinds {
		t := r.about[kind]
		own := transfer.IsEvidence(oci.Referrer{}, t, r.image.Digests())
		if own != (kind == signature.BundleType) {
			r.t.Errorf("%s is evidence: %t", kind, own)
		}
		images = append(images, transfer.Referrer("agent", repo.Digest(t.Desc.Digest.String()), t, own)...)
	}
	var said bytes.Buffer
	o := registrytest.Impatient
	o.Progress = progress.New(&said)
	done, err := transfer.New(o).Push(r.t.Context(), images, transfer.Source{Open: r.store.Open},
		transfer.PushOptions{Task: "push", Referrers: rule})
	o.Progress.Close()
	return done, said.String(), err
}

// has reports whether the registry lists an artifact about its subject.
func (r *referring) has(at *registrytest.Server, kind string) bool {
	r.t.Helper()
	s := &transfer.Subject{Repo: at.Repo(r.t, "demo/agent"), Name: "agent", Digests: r.image.Digests()}
	if err := transfer.New(registrytest.Impatient).ReadReferrers(context.Background(), []*transfer.Subject{s}); err != nil {
		r.t.Fatal(err)
	}
	for _, found := range s.Referrers {
		if found.Digest == r.about[kind].Desc.Digest {
			return true
		}
	}
	return false
}

// tagged reports whether the image has its tag.
func (r *referring) tagged(at *registrytest.Server) bool {
	r.t.Helper()
	d, err := transfer.New(registrytest.Impatient).Lookup(r.t.Context(), at.Repo(r.t, "demo/agent").Tag("v1"))
	if err != nil {
		r.t.Fatal(err)
	}
	return d != nil
}

func others(kind string) bool   { return kind != signature.BundleType }
func everything(_ string) bool  { return true }
func theSBOM(kind string) bool  { return kind == sbomKind }
func theNotes(kind string) bool { return kind == noteKind }

// TestReferrersTry leaves out what a registry refuses and what refers to that, and sends it once
// the registry takes it.
func TestReferrersTry(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 405, 409, 412, 415, 422} {
		r, s := newReferring(t), registrytest.Serve(t)
		s.RefuseSubjects(status, theSBOM)
		all := []string{signKind, sbomKind, noteKind, signature.BundleType}
		done, said, err := r.push(s, oci.ReferrersTry, all...)
		if err != nil {
			t.Fatalf("%d: %v", status, err)
		}
		if len(done.Omitted) != 2 || done.Omitted[0].ArtifactType != signKind || done.Omitted[1].ArtifactType != sbomKind ||
			done.Omitted[1].Subject != r.image.Desc.Digest || done.Omitted[1].Repository != s.Host()+"/demo/agent" {
			t.Errorf("%d: left out were %+v", status, done.Omitted)
		}
		for _, o := range done.Omitted {
			if strings.Count(said, "leaving out "+o.String()) != 1 {
				t.Errorf("%d: it does not say once that %s is left out:\n%s", status, o.Digest, said)
			}
		}
		for kind, want := range map[string]bool{sbomKind: false, signKind: false, noteKind: true, signature.BundleType: true} {
			if r.has(s, kind) != want {
				t.Errorf("%d: the registry lists %s: %t", status, kind, !want)
			}
		}
		if !r.tagged(s) {
			t.Errorf("%d: the image has no tag", status)
		}
		s.Disturb(nil)
		if done, _, err = r.push(s, oci.ReferrersRequire, all...); err != nil || len(done.Omitted) > 0 {
			t.Errorf("%d: the second push ended with %v, and left out %v", status, err, done)
		}
		for _, kind := range all {
			if !r.has(s, kind) {
				t.Errorf("%d: the registry has no %s after the second push", status, kind)
			}
		}
	}
}

// TestReferrersImmutable pushes to a registry without the referrers API whose tags do not move: it
// lists what the first push has, and nothing that is attached later.
func TestReferrersImmutable(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 403, 409, 412} {
		r, s := newReferring(t), registrytest.Serve(t)
		s.KeepTags(status)
		first := []string{sbomKind, signature.BundleType}
		if done, _, err := r.push(s, oci.ReferrersRequire, first...); err != nil || len(done.Omitted) > 0 ||
			!r.has(s, sbomKind) || !r.has(s, signature.BundleType) || !r.tagged(s) {
			t.Errorf("%d: the first push: %v", status, err)
		}
		_, _, err := r.push(s, oci.ReferrersRequire, append(first, noteKind)...)
		bundletest.Says(t, err, "which lists it", "that refers to "+r.image.Desc.Digest.String(), "-referrers=try")
		done, _, err := r.push(s, oci.ReferrersTry, append(first, noteKind)...)
		if err != nil || len(done.Omitted) != 1 || done.Omitted[0].ArtifactType != noteKind || r.has(s, noteKind) {
			t.Fatalf("%d: left out were %+v, the error is %v", status, done, err)
		}
		late := registrytest.Serve(t)
		late.KeepTags(status)
		if _, _, err = r.push(late, oci.ReferrersTry, sbomKind); err == nil {
			_, _, err = r.push(late, oci.ReferrersTry, first...)
		}
		bundletest.Says(t, err, "which lists it", "evidence of the release",
			"let the tags sha256-* move in "+late.Host()+"/demo/agent")
		s.Disturb(nil)
		if _, _, err := r.push(s, oci.ReferrersTry, append(first, noteKind)...); err != nil || !r.has(s, noteKind) {
			t.Errorf("%d: the last push did not send it: %v", status, err)
		}
	}
}

// TestReferrersNone sends nothing of others, and says so once.
func TestReferrersNone(t *testing.T) {
	t.Parallel()
	r, s := newReferring(t), registrytest.Serve(t)
	s.RefuseSubjects(http.StatusMethodNotAllowed, others)
	done, said, err := r.push(s, oci.ReferrersNone, sbomKind, signKind, noteKind, signature.BundleType)
	if err != nil {
		t.Fatal(err)
	}
	if want := "leaving out 3 artifacts that refer to images: -referrers=none"; strings.Count(said, "leaving out") != 1 ||
		!strings.Contains(said, want) || len(done.Omitted) != 3 {
		t.Errorf("it says %q, and lists %v", said, done.Omitted)
	}
	calls, _ := s.Reset()
	for _, kind := range []string{sbomKind, signKind, noteKind} {
		tree := r.about[kind]
		if n := registrytest.Count(calls, "", tree.Desc.Digest.String()) +
			registrytest.Count(calls, "", tree.Layers[0].Digest.String()); n > 0 {
			t.Errorf("%d requests are about %s", n, kind)
		}
	}
	if !r.has(s, signature.BundleType) || !r.tagged(s) {
		t.Error("the evidence or the tag is missing")
	}
}

// TestReferrersRequired: evidence of the release is required whatever the rule, and so is all else
// by default.
func TestReferrersRequired(t *testing.T) {
	t.Parallel()
	for _, rule := range []oci.ReferrerRule{"", oci.ReferrersRequire, oci.ReferrersTry, oci.ReferrersNone} {
		r, s := newReferring(t), registrytest.Serve(t)
		s.RefuseSubjects(http.StatusMethodNotAllowed, everything)
		_, _, err := r.push(s, rule, noteKind, signature.BundleType)
		bundletest.Says(t, err, `of type "`+signature.BundleType+`"`, "evidence of the release")
		if r.tagged(s) {
			t.Errorf("%q: the image has its tag", rule)
		}
		s.RefuseSubjects(http.StatusMethodNotAllowed, theNotes)
		_, _, err = r.push(s, rule, noteKind, signature.BundleType)
		if required := rule == "" || rule == oci.ReferrersRequire; (err != nil) != required || r.tagged(s) == required {
			t.Errorf("%q: the push of a note that is refused ends with %v", rule, err)
		}
		if named := err != nil && strings.Contains(err.Error(), "-referrers=try"); named != (rule == oci.ReferrersRequire) {
			t.Errorf("%q: the error names the flag: %v", rule, err)
		}
	}
}

// TestReferrersOutage: what is no refusal stops a push by each rule that sends referrers.
func TestReferrersOutage(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 404, 429, 500, 501, 503} {
		r, s := newReferring(t), registrytest.Serve(t)
		s.RefuseSubjects(status, everything)
		if _, _, err := r.push(s, oci.ReferrersTry, noteKind); err == nil || r.tagged(s) {
			t.Errorf("%d left a note out: %v", status, err)
		}
	}
	answers := map[string]func(w http.ResponseWriter){
		"breaks": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"page": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusOK)
		},
		"lost blob": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadRequest)
			w.Write([]byte(`{"errors":[{"code":"MANIFEST_BLOB_UNKNOWN","message":"blob unknown"}]}`)) //nolint:errcheck // a test
		},
	}
	for what, answer := range answers {
		r, s := newReferring(t), registrytest.Serve(t)
		digest := r.about[noteKind].Desc.Digest.String()
		s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
			if q.Method != http.MethodPut || !strings.HasSuffix(q.URL.Path, digest) {
				return false
			}
			answer(w)
			return true
		})
		if _, _, err := r.push(s, oci.ReferrersTry, noteKind); err == nil || r.tagged(s) {
			t.Errorf("%s: a note was left out: %v", what, err)
		}
	}
}
