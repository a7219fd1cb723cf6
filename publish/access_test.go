package publish_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/store"
)

// TestCheckAccess: every upload that is begun is given up; repositories that have the tag, and a
// snapshot, are not asked; all that is denied is reported.
func TestCheckAccess(t *testing.T) {
	s := registrytest.Serve(t)
	p, st, _ := cut(t, 1000)
	if _, err := publish.CheckAccess(t.Context(), p, st, quick); err != nil || s.Count("", "/") != 0 {
		t.Errorf("a snapshot: %v, %d requests", err, s.Count("", "/"))
	}
	p.Registry = s.Host() + "/team"
	artifacts := *p
	artifacts.Selected, artifacts.Images, artifacts.Airgap.Images = []string{"shard 2 of 4"}, nil, nil
	if _, err := publish.CheckAccess(t.Context(), &artifacts, st, quick); err != nil || s.Count("", "/") != 0 {
		t.Errorf("a part that has only artifacts: %v, %d requests", err, s.Count("", "/"))
	}
	if _, err := publish.CheckAccess(t.Context(), p, st, quick); err != nil {
		t.Fatal(err)
	}
	begun, ended := s.Count("POST", "/blobs/uploads/"), s.Count("DELETE", "/blobs/uploads/")
	if begun != len(p.Images) || ended != begun {
		t.Errorf("%d uploads were begun and %d given up, of %d images", begun, ended, len(p.Images))
	}

	absent, err := name.ParseReference(s.Host() + "/none:1.0")
	if err != nil {
		t.Fatal(err)
	}
	p.Airgap.Images = []product.ThirdParty{{
		Reference: absent, Text: absent.String(),
		Pos: yamlfile.Pos{File: "images.txt", Line: 3, Column: 1},
	}}
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodPost {
			w.WriteHeader(http.StatusForbidden)
		}
		return q.Method == http.MethodPost
	})
	_, err = publish.CheckAccess(t.Context(), p, st, quick)
	if err == nil || strings.Count(err.Error(), "log in to "+s.Host()) != len(p.Images) ||
		!strings.Contains(err.Error(), "images.txt:3:1: "+absent.String()+" is not in its registry") {
		t.Errorf("where nobody may push: %v", err)
	}
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodPost { // as a portal does that wants a login
			w.WriteHeader(http.StatusOK)
		}
		return q.Method == http.MethodPost
	})
	// of the host, not of each repository
	if _, err := publish.CheckAccess(t.Context(), p, st, quick); err == nil ||
		strings.Count(err.Error(), "as no registry does") != 1 {
		t.Errorf("where something else answers: %v", err)
	}
}

// TestCheckAccessThere: where the tags are there, nothing will be pushed, and whether it may be
// does not matter.
func TestCheckAccessThere(t *testing.T) {
	s := registrytest.Serve(t)
	p, st, l := cut(t, 1000)
	p.Registry, p.Airgap.Images = s.Host()+"/team", nil
	if _, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick); err != nil {
		t.Fatal(err)
	}
	s.Reset()
	if _, err := publish.CheckAccess(t.Context(), p, st, quick); err != nil || s.Count("POST", "/") != 0 {
		t.Errorf("%v, %d uploads were begun", err, s.Count("POST", "/"))
	}
	for note, st := range map[bool]*store.Store{false: st, true: storetest.Open(t)} { // another machine's
		var log strings.Builder
		o := quick
		o.Progress = progress.New(&log)
		if _, err := publish.CheckAccess(t.Context(), p, st, o); err != nil {
			t.Error(err)
		}
		if got := strings.Count(log.String(), "is in the registry already, as sha256:"); got != len(p.Images) && note ||
			got != 0 && !note {
			t.Errorf("want a note: %v, got %s", note, log.String())
		}
	}
	s.Reset()
	p.Selected = []string{"linux/amd64"}
	if _, err := publish.CheckAccess(t.Context(), p, st, quick); err != nil || s.Count("POST", "/") != len(p.Images) {
		t.Errorf("a part: %v, %d uploads were begun of %d images", err, s.Count("POST", "/"), len(p.Images))
	}
}
