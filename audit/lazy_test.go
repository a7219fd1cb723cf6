package audit_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// file is what a tar or a table of contents says of a file.
type file struct {
	name string
	mode int64
}

var lazyCases = []struct {
	name       string
	inTar, toc file
	want       []string
}{
	{"same", file{"app", 0o755}, file{"app", 0o755}, nil},
	{"name-in-tar", file{"app", 0o755}, file{"other", 0o755}, nil},
	{"mode-in-tar", file{"app", 0o755}, file{"app", 0o644}, nil},
	{"name-in-table", file{"other", 0o755}, file{"app", 0o755}, []string{
		"error index-entrypoint-missing ENTRYPOINT /app: the image has no such file: copy it, or correct the name",
	}},
	{"mode-in-table", file{"app", 0o644}, file{"app", 0o755}, []string{
		"error index-entrypoint-mode ENTRYPOINT /app: /app has mode 0644, which does not let user root execute it: " +
			"copy it with --chmod=0755",
	}},
}

// TestTableOfContents: what the tar has counts, and not the table of contents of an eStargz layer
// (decision 70). The table is the one that the annotation of the layer names.
func TestTableOfContents(t *testing.T) {
	r := registrytest.Serve(t)
	for _, tc := range lazyCases {
		t.Run(tc.name, func(t *testing.T) {
			l, annotations := lazy(t, tc.inTar, tc.toc)
			c := linux("/app")
			img, err := mutate.ConfigFile(empty.Image, &c)
			must(t, err)
			img, err = mutate.Append(img, mutate.Addendum{Layer: l, MediaType: types.OCILayer, Annotations: annotations})
			must(t, err)
			ref := r.Repo(t, tc.name).Tag("1")
			must(t, remote.Write(ref, mutate.MediaType(img, types.OCIManifestSchema1)))
			if diff := cmp.Diff(tc.want, inside(t, ref.String())); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			d, err := l.Digest()
			must(t, err)
			if n := r.Count(http.MethodGet, tc.name+"/blobs/"+d.String()); n != 1 {
				t.Errorf("the layer was requested %d times", n)
			}
		})
	}
}

// lazy returns an eStargz layer of one program with the annotation of its table of contents
// (https://github.com/containerd/stargz-snapshotter/blob/main/docs/estargz.md).
func lazy(t *testing.T, inTar, toc file) (v1.Layer, map[string]string) {
	t.Helper()
	const header = 512
	var blob bytes.Buffer
	all := tarOf(t, inTar, []byte(alone))
	zip(t, &blob, all[:header], nil)
	content := blob.Len()
	zip(t, &blob, all[header:header+len(alone)], nil)
	zip(t, &blob, all[header+len(alone):], nil)
	sum, _, err := v1.SHA256(bytes.NewReader([]byte(alone)))
	must(t, err)
	table, err := json.Marshal(map[string]any{"version": 1, "entries": []map[string]any{{
		"name": toc.name, "type": "reg", "mode": toc.mode, "size": len(alone), "offset": content,
		"digest": sum.String(), "chunkDigest": sum.String(),
	}}})
	must(t, err)
	at := blob.Len()
	zip(t, &blob, tarOf(t, file{"stargz.index.json", 0o444}, table), nil)
	zip(t, &blob, nil, fmt.Appendf([]byte("SG\x16\x00"), "%016xSTARGZ", at))
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(blob.Bytes())), nil
	})
	must(t, err)
	sum, _, err = v1.SHA256(bytes.NewReader(table))
	must(t, err)
	return l, map[string]string{"containerd.io/snapshot/stargz/toc.digest": sum.String()}
}

// tarOf returns a tar of one file.
func tarOf(t *testing.T, f file, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	must(t, w.WriteHeader(&tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(text)), Typeflag: tar.TypeReg}))
	_, err := w.Write(text)
	must(t, err)
	must(t, w.Close())
	return b.Bytes()
}

// zip appends a member to a gzip file, uncompressed if it is the footer.
func zip(t *testing.T, to io.Writer, text, extra []byte) {
	t.Helper()
	level := gzip.DefaultCompression
	if extra != nil {
		level = gzip.NoCompression
	}
	w, err := gzip.NewWriterLevel(to, level)
	must(t, err)
	w.Extra = extra
	if text != nil {
		_, err = w.Write(text)
		must(t, err)
	}
	must(t, w.Close())
}
