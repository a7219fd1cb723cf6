package lifecycle_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/assemble/lifecycle"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestLayer compares the contents of the two layers with a golden file.
func TestLayer(t *testing.T) {
	for _, os := range []string{"linux", "windows"} {
		t.Run(os, func(t *testing.T) {
			st, err := store.Open(filepath.Join(t.TempDir(), ".slipway"))
			if err != nil {
				t.Fatal(err)
			}
			files := lifecycle.Files{
				"launcher":  layer.Bytes([]byte("the launcher")),
				"lifecycle": layer.Bytes([]byte("the lifecycle")),
			}
			entries, err := lifecycle.Entries(os, files)
			if err != nil {
				t.Fatal(err)
			}
			l, err := lifecycle.Layer(t.Context(), st, os, entries)
			if err != nil {
				t.Fatal(err)
			}
			if l.MediaType != types.OCILayer {
				t.Errorf("the media type is %s: kpack takes only gzip", l.MediaType)
			}
			golden.Compare(t, *update, "testdata/"+os+".golden", listing(t, st.Path(l.Digest)))

			delete(files, "lifecycle")
			if _, err := lifecycle.Entries(os, files); err == nil ||
				!strings.Contains(err.Error(), "lifecycle for "+os+": program lifecycle is missing") {
				t.Errorf("without the lifecycle the error is %v", err)
			}
		})
	}
}

func TestLabels(t *testing.T) {
	m := lifecycle.Metadata{
		Version: "0.20.5", API: lifecycle.API{Buildpack: "0.7", Platform: "0.7"},
		APIs: lifecycle.APIs{
			Buildpack: lifecycle.Versions{Deprecated: []string{}, Supported: []string{"0.7"}},
			Platform:  lifecycle.Versions{Deprecated: []string{"0.7"}, Supported: []string{"0.7", "0.8"}},
		},
	}
	got, err := lifecycle.Labels(m, layer.Layer{DiffID: v1.Hash{Algorithm: "sha256", Hex: "1"}},
		layer.Layer{DiffID: v1.Hash{Algorithm: "sha256", Hex: "2"}})
	want := map[string]string{
		"linux": "sha256:1", "windows": "sha256:2",
		"io.buildpacks.lifecycle.metadata": `{"version":"0.20.5","api":{"buildpack":"0.7","platform":"0.7"},"apis":{"buildpack":{"deprecated":[],"supported":["0.7"]},` +
			`"platform":{"deprecated":["0.7"],"supported":["0.7","0.8"]}}}`,
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	var back lifecycle.Metadata
	if err := json.Unmarshal([]byte(got["io.buildpacks.lifecycle.metadata"]), &back); err != nil ||
		cmp.Diff(m, back) != "" {
		t.Errorf("the label reads as %+v (%v)", back, err)
	}
}

func listing(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var s strings.Builder
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return s.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&s, "%c %04o %d:%d %s %2d %s", h.Typeflag, h.Mode, h.Uid,
			h.Gid, h.ModTime.UTC().Format(time.RFC3339), h.Size, h.Name)
		if h.Linkname != "" {
			fmt.Fprintf(&s, " -> %s", h.Linkname)
		}
		for _, k := range slices.Sorted(maps.Keys(h.PAXRecords)) {
			fmt.Fprintf(&s, " %s=%s", k, h.PAXRecords[k])
		}
		s.WriteByte('\n')
	}
}
