package publish_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish"
)

// TestProof publishes through what takes manifests and loses them: a success counts only where the
// registry has the manifest afterwards.
func TestProof(t *testing.T) {
	taken := func(status int, kind string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, "<html>log in</html>")
		}
	}
	for name, tt := range map[string]struct {
		then func(http.ResponseWriter)
		want string
	}{
		"200": {taken(http.StatusOK, "text/html"), "as no registry does"},
		"201": {taken(http.StatusCreated, "application/json"), "does not serve it"},
		"202": {taken(http.StatusAccepted, "application/json"), "does not serve it"},
	} {
		for _, what := range []string{"a tag", "a digest", "a part", "a merged tag"} {
			t.Run(name+" for "+what, func(t *testing.T) {
				p, st, l := cut(t, 1000)
				s := registrytest.Serve(t)
				p.Registry = s.Host()
				lose := func(w http.ResponseWriter, q *http.Request) bool {
					if q.Method != http.MethodPut || !strings.Contains(q.URL.Path, "/manifests/") ||
						strings.Contains(q.URL.Path, "/sha256:") == strings.HasSuffix(what, "tag") {
						return false
					}
					io.Copy(io.Discard, q.Body) //nolint:errcheck // the client of this very test
					tt.then(w)
					return true
				}
				var locks []*lock.Part
				if what == "a part" {
					p = storetest.Only(p, "linux")
				}
				if what == "a merged tag" {
					for _, system := range []string{"linux", "windows"} {
						part, _, err := publish.PublishPart(t.Context(), storetest.Only(p, system), st, storetest.Built(l),
							quick)
						if err != nil {
							t.Fatal(err)
						}
						locks = append(locks, part)
					}
				}
				s.Disturb(lose)
				var err error
				switch what {
				case "a part":
					_, _, err = publish.PublishPart(t.Context(), p, st, storetest.Built(l), quick)
				case "a merged tag":
					_, err = merge(t, p, st, locks)
				default:
					_, err = publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
				}
				if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), s.Host()) {
					t.Errorf("the error does not say %q: %v", tt.want, err)
				}
				// Once it is repaired, the next run completes what exists.
				s.Disturb(nil)
				if what == "a part" {
					return
				}
				out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
				if err != nil {
					t.Fatal(err)
				}
				registrytest.Validate(t, out)
			})
		}
	}
}
