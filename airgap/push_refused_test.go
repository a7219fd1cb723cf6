package airgap_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestPushRefused: a registry that refuses, at whatever step, makes one error of one line that
// names it, and no name refers to an incomplete image.
func TestPushRefused(t *testing.T) {
	b := bundletest.Whole(t, 1000)
	deny := func(status int, code, text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			w.Write([]byte(`{"errors":[{"code":"` + code + `","message":"` + text + `"}]}`)) //nolint:errcheck // the client may be gone
		}
	}
	for name, c := range map[string]struct {
		method, path string
		answer       func(http.ResponseWriter)
		want         []string
	}{
		"who are you": {
			"GET", "/v2/", deny(http.StatusForbidden, "DENIED", "no"),
			[]string{"connecting to", "log in to"},
		},
		"not to be looked at": {
			"", "/manifests/", deny(http.StatusForbidden, "DENIED", "no"),
			[]string{"looking at", "DENIED", "log in to"},
		},
		"no uploads": {"POST", "/blobs/uploads/", deny(http.StatusMethodNotAllowed, "UNSUPPORTED",
			"this registry is read-only"), []string{"pushing blob sha256:", "this registry is read-only"}},
		"not this account": {"POST", "/blobs/uploads/", deny(http.StatusUnauthorized, "UNAUTHORIZED",
			"authentication required"), []string{"pushing blob sha256:", "log in to"}},
		"too large": {"PATCH", "/blobs/uploads/", deny(http.StatusRequestEntityTooLarge, "SIZE_INVALID",
			"at most 1 kB"), []string{"pushing blob sha256:", "at most 1 kB"}},
		"its disk is full": {"PATCH", "/blobs/uploads/", deny(http.StatusInsufficientStorage, "UNKNOWN",
			"no space left on device"), []string{"pushing blob sha256:", "no space left on device"}},
		"too busy": {
			"POST", "/blobs/uploads/", deny(http.StatusTooManyRequests, "TOOMANYREQUESTS", "slower"),
			[]string{"pushing blob sha256:", "slower"},
		},
		"another digest": {"PUT", "/blobs/uploads/", deny(http.StatusBadRequest, "DIGEST_INVALID",
			"provided digest did not match"), []string{"pushing blob sha256:", "provided digest did not match"}},
		"no manifests": {"PUT", "/manifests/sha256:", deny(http.StatusBadRequest, "MANIFEST_INVALID",
			"not of a type we take"), []string{"pushing 127.0.0.1:", "not of a type we take"}},
		"no tags": {
			"PUT", "/manifests/1.2.3", deny(http.StatusConflict, "TAG_INVALID", "tags are immutable"),
			[]string{"pushing 127.0.0.1:", ":1.2.3", "tags are immutable"},
		},
		"no registry": {"", "", func(w http.ResponseWriter) { w.Write([]byte("<html>\n<body>\nWelcome!</body>\n")) }, []string{"answers 200 OK with content type \"text/html", "as no registry does"}}, //nolint:errcheck // as above
	} {
		t.Run(name, func(t *testing.T) {
			r := registrytest.Serve(t)
			r.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				if c.method != "" && q.Method != c.method || !strings.Contains(q.URL.Path, c.path) {
					return false
				}
				c.answer(w)
				return true
			})
			o := bundletest.To(r)
			o.Registry = network.Options{Wait: time.Microsecond, Attempts: 2}
			_, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
			bundletest.Says(t, err, append(c.want, "127.0.0.1:")...)
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %v", err)
			}
			calls, _ := r.Reset()
			if n := registrytest.Count(calls, "PUT", "/manifests/1.2.3"); n > 0 && name != "no tags" {
				t.Errorf("%d names were put", n)
			}
		})
	}
}
