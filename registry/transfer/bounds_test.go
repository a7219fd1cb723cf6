package transfer_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

const endless = 1 << 50

// manifestOf returns the manifest of an image whose configuration and layers have these sizes.
func manifestOf(config int64, layers ...int64) string {
	var list []string
	for n, size := range layers {
		list = append(list,
			fmt.Sprintf(`{"mediaType":"application/vnd.oci.image.layer.v1.tar","size":%d,"digest":"sha256:%064x"}`,
				size, n+1))
	}
	return fmt.Sprintf(
		`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","size":%d,"digest":"sha256:%064x"},"layers":[%s]}`,
		config, 0xc, strings.Join(list, ","))
}

// indexOf returns an index over one manifest that the registry does not have.
func indexOf(child int64) string {
	return fmt.Sprintf(
		`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","size":%d,"digest":"sha256:%064x"}]}`, child, 1)
}

// TestFetchBounds fetches images that list blobs of 2^50 bytes, which the registry sends without
// end: no byte of them is read, one line says why, and the store stays empty.
func TestFetchBounds(t *testing.T) {
	for what, tt := range map[string]struct{ manifest, says string }{
		"configuration": {manifestOf(endless, 10), "configuration sha256:" + strings.Repeat("0", 63) +
			"c has 1125899906842624 bytes: it may have at most 8388608"},
		"layer":            {manifestOf(10, endless), "the blobs to fetch have 1125.9 TB, and the disk of "},
		"many layers":      {manifestOf(10, 1<<62, 1<<62, 1<<62), "are more than any disk has"},
		"child":            {indexOf(endless), "has 1125899906842624 bytes: it may have at most 4194304"},
		"manifest":         {strings.Repeat(" ", 5<<20) + manifestOf(10, 10), "a manifest may have at most"},
		"endless manifest": {"", "answers with more than 16777216 bytes"},
	} {
		t.Run(what, func(t *testing.T) {
			s := registrytest.Serve(t)
			var sent atomic.Int64
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				body := []byte(tt.manifest)
				switch {
				case strings.Contains(q.URL.Path, "/blobs/"),
					tt.manifest == "" && strings.HasSuffix(q.URL.Path, "/manifests/1"):
					w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
					for zeros := make([]byte, 1<<20); ; sent.Add(1 << 20) {
						if _, err := w.Write(zeros); err != nil {
							return true
						}
					}
				case strings.HasSuffix(q.URL.Path, "/manifests/1"):
					h, _, err := v1.SHA256(bytes.NewReader(body))
					if err != nil {
						t.Error(err)
					}
					w.Header().Set("Content-Type",
						tt.manifest[strings.Index(tt.manifest, "application/"):strings.Index(tt.manifest, "+json")+5])
					w.Header().Set("Docker-Content-Digest", h.String())
					w.Header().Set("Content-Length", strconv.Itoa(len(body)))
					w.Write(body) //nolint:errcheck // the client goes away
					return true
				}
				return false
			})
			st, err := store.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			before := files(t, st.Dir())
			err = transfer.New(quick).Fetch(t.Context(),
				st, []*transfer.Wanted{{Ref: s.Repo(t, "evil").Tag("1"), Name: "evil:1"}})
			if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %v, and not %q", err, tt.says)
			}
			if sent.Load() > 64<<20 {
				t.Errorf("%d bytes were read", sent.Load())
			}
			if after := files(t, st.Dir()); after != before {
				t.Errorf("the store has %s, and had %s", after, before)
			}
		})
	}
}

// files lists the files below a directory.
func files(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}
