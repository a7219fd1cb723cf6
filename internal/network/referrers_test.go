package network_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestReferrerLists reads lists of referrers: in pages, too long, too large, of another host, and
// such as are not lists.
func TestReferrerLists(t *testing.T) {
	subject := v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("5", 64)}
	index := func(from, n int) []byte {
		m := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{}}
		for k := range n {
			m.Manifests = append(m.Manifests, v1.Descriptor{
				MediaType: types.OCIManifestSchema1,
				Size:      1, Digest: v1.Hash{Algorithm: "sha256", Hex: fmt.Sprintf("%064x", from+k)},
			})
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	answer := func(w http.ResponseWriter, body []byte) {
		w.Header().Set("Content-Type", string(types.OCIImageIndex))
		w.Write(body) //nolint:errcheck // a test's answer
	}
	for what, tt := range map[string]struct {
		api, tag func(w http.ResponseWriter, q *http.Request)
		want     int
		err      string
	}{
		"pages": {want: 70, api: func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Query().Get("last") == "" {
				w.Header().Set("Link", "<"+q.URL.Path+`?last=x>; rel="next"`)
				answer(w, index(0, 40))
				return
			}
			answer(w, index(40, 30))
		}},
		"another host": {err: "at another place", api: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", `<http://elsewhere.example/list>; rel="next"`)
			answer(w, index(0, 1))
		}},
		"too long": {err: "more than 1000 artifacts refer to", api: func(w http.ResponseWriter, _ *http.Request) {
			answer(w, index(0, 1001))
		}},
		"endless, one by one": {
			err: "the list has 21 pages with 21 entries",
			api: func(w http.ResponseWriter, q *http.Request) {
				n, _ := strconv.Atoi(q.URL.Query().Get("last"))
				w.Header().Set("Link", fmt.Sprintf(`<%s?last=%d>; rel="next"`, q.URL.Path, n+1))
				answer(w, index(n, 1))
			},
		},
		"endless, and empty": {
			err: "the list has 21 pages with 0 entries",
			api: func(w http.ResponseWriter, q *http.Request) {
				w.Header().Set("Link", "<"+q.URL.Path+`>; rel="next"`)
				answer(w, index(0, 0))
			},
		},
		"an empty page": {want: 3, api: func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Query().Get("last") == "" {
				w.Header().Set("Link", "<"+q.URL.Path+`?last=x>; rel="next"`)
				answer(w, index(0, 0))
				return
			}
			answer(w, index(0, 3))
		}},
		"endless": {err: "more than 1000 artifacts refer to", api: func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Link", "<"+q.URL.Path+`>; rel="next"`)
			answer(w, index(0, 100))
		}},
		"too large": {err: "more than 4 MiB", api: func(w http.ResponseWriter, _ *http.Request) {
			answer(w, []byte(`{"a":"`+strings.Repeat("a", 5<<20)+`"}`))
		}},
		"rubbish": {err: "the referrers of", api: func(w http.ResponseWriter, _ *http.Request) {
			answer(w, []byte("{"))
		}},
		"HTML": {err: "as no registry does", api: func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<html>")
		}},
		"a tag": {want: 3, tag: func(w http.ResponseWriter, _ *http.Request) { answer(w, index(0, 3)) }},
		"a tag too long": {err: "more than 1000 artifacts refer to", tag: func(w http.ResponseWriter, _ *http.Request) {
			answer(w, index(0, 1001))
		}},
		"not a list": {err: "it is not an index", tag: func(w http.ResponseWriter, _ *http.Request) {
			answer(w,
				[]byte(
					`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"x","size":1,"digest":"`+subject.String()+`"},"layers":[]}`))
		}},
	} {
		t.Run(what, func(t *testing.T) {
			s := registrytest.Serve(t)
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				switch {
				case strings.Contains(q.URL.Path, "/referrers/") && tt.api != nil:
					tt.api(w, q)
				case strings.Contains(q.URL.Path, "/manifests/sha256-") && tt.tag != nil:
					tt.tag(w, q)
				default:
					return false
				}
				return true
			})
			repo := s.Repo(t, "demo")
			session, err := network.New(options()).Session(t.Context(), repo, repo.Scope(transport.PullScope))
			if err != nil {
				t.Fatal(err)
			}
			list, err := session.Referrers(t.Context(), repo.Digest(subject.String()))
			if tt.err == "" && (err != nil || len(list) != tt.want) ||
				tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("%d referrers, %v; want %d, %q", len(list), err, tt.want, tt.err)
			}
		})
	}
}
