package registrytest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// RefuseSubjects answers manifests with a subject with a status, if which returns true for the type
// of the artifact.
func (s *Server) RefuseSubjects(status int, which func(artifactType string) bool) {
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodPut || !strings.Contains(q.URL.Path, "/manifests/") {
			return false
		}
		raw, err := io.ReadAll(q.Body)
		if err != nil {
			return true // the client is gone
		}
		q.Body = io.NopCloser(bytes.NewReader(raw))
		var m struct {
			v1.Manifest

			ArtifactType string `json:"artifactType"`
		}
		if json.Unmarshal(raw, &m) != nil || m.Subject == nil ||
			!which(cmp.Or(m.ArtifactType, string(m.Config.MediaType))) {
			return false
		}
		w.WriteHeader(status)
		return true
	})
}

// KeepTags makes tags immutable: one that names another manifest is refused with a status.
func (s *Server) KeepTags(status int) {
	inner := s.Inner
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		_, tag, ok := strings.Cut(q.URL.Path, "/manifests/")
		if !ok || q.Method != http.MethodPut || strings.Contains(tag, ":") {
			return false
		}
		probe, err := http.NewRequestWithContext(q.Context(), http.MethodHead, s.URL+q.URL.Path, nil)
		if err != nil {
			return false
		}
		have := httptest.NewRecorder()
		inner.ServeHTTP(have, probe)
		if have.Code != http.StatusOK {
			return false
		}
		w.WriteHeader(status)
		return true
	})
}
