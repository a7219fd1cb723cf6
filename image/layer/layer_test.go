package layer_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

var then = time.Date(2025, time.January, 16, 21, 57, 50, 0, time.UTC)

// usersOwn is the security descriptor of the files in Windows layers; test/windows has
// Windows' own code read it.
const usersOwn = "AQAAgBQAAAAkAAAAAAAAAAAAAAABAgAAAAAABSAAAAAhAgAAAQIAAAAAAAUgAAAAIQIAAA=="

// tree returns an entry of every type that both operating systems have.
func tree() []layer.Entry {
	return []layer.Entry{
		{Path: "/", Type: layer.Dir, Mode: 0o700},
		{Path: "/app", Type: layer.Dir, Mode: 0o750, UID: 1000, GID: 1001},
		{Path: "/app/run", Mode: 0o555, UID: 1000, GID: 1001, Content: layer.Bytes([]byte("#!/bin/sh\n"))},
		{Path: "/app/config", Mode: 0o444, Content: layer.Bytes([]byte("a: b\n")), ModTime: then},
		{Path: "/app/sub/dir/deep", Mode: 0o644, Content: layer.Bytes([]byte("deep"))},
		{Path: "/app/empty", Mode: 0o644, Content: layer.Bytes(nil)},
		{Path: "/app/nothing", Mode: 0o644},
		{Path: "/app/setuid", Mode: 0o755 | fs.ModeSetuid | fs.ModeSetgid, Content: layer.Bytes([]byte("s"))},
		{Path: "/tmp", Type: layer.Dir, Mode: 0o777 | fs.ModeSticky},
		{Path: "/app/link", Type: layer.Symlink, Linkname: "sub/dir"},
		{Path: "/app/file", Type: layer.Symlink, Linkname: "/app/run"},
		{Path: "/app/linked", Type: layer.Symlink, Linkname: "../app/link/."},
		{Path: "/app/loop", Type: layer.Symlink, Linkname: "loop"},
		{Path: "/app/also", Type: layer.Hardlink, Linkname: "/app/run", Mode: 0o555},
		{Path: "/app/twice", Mode: 0o600, Content: layer.Bytes([]byte("first"))},
		{Path: "/app/twice", Mode: 0o640, Content: layer.Bytes([]byte("second"))},
		{Path: "/ünïcode/" + strings.Repeat("long", 40), Mode: 0o644, Content: layer.Bytes([]byte("x"))},
	}
}

// TestHeaders compares all headers of a layer's tar with a golden file.
func TestHeaders(t *testing.T) {
	for _, tc := range []struct {
		name    string
		entries []layer.Entry
		options layer.Options
	}{
		{
			"linux", append(tree(), layer.Entry{Path: "/cache/new", Mode: 0o644, Content: layer.Bytes([]byte("n"))}),
			layer.Options{ModTime: layer.Epoch},
		},
		{"windows", tree(), layer.Options{OS: "windows", ModTime: layer.Epoch}},
		{"linux-empty", nil, layer.Options{}},
		{"windows-empty", nil, layer.Options{OS: "windows"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			st := storetest.Open(t)
			l := write(t, st, tc.entries, tc.options)
			golden.Compare(t, *update, filepath.Join("testdata", tc.name+".golden"), listing(t, untar(t, st, l)))
		})
	}
}

// TestReaders checks that other implementations read back what was written, and that the
// layer's metadata is correct.
func TestReaders(t *testing.T) {
	for _, tc := range []struct {
		compression layer.Compression
		media       types.MediaType
		magic       []byte
	}{
		{"", types.OCILayer, []byte{0x1f, 0x8b}},
		{layer.Gzip, types.OCILayer, []byte{0x1f, 0x8b}},
		{layer.Zstd, types.OCILayerZStd, []byte{0x28, 0xb5, 0x2f, 0xfd}},
	} {
		t.Run(string(tc.compression), func(t *testing.T) {
			st := storetest.Open(t)
			// This exceeds one block of the compressor.
			big := bytes.Repeat([]byte("0123456789abcdef"), 300_000)
			entries := append(tree(), layer.Entry{Path: "/big", Mode: 0o644, Content: layer.Bytes(big)})
			l := write(t, st, entries, layer.Options{Compression: tc.compression})
			if l.MediaType != tc.media {
				t.Errorf("media type %s, want %s", l.MediaType, tc.media)
			}
			blob, err := os.ReadFile(st.Path(l.Digest))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(blob, tc.magic) {
				t.Errorf("the blob begins with % x", blob[:4])
			}
			if int64(len(blob)) != l.Size || hash(blob) != l.Digest.Hex {
				t.Errorf("the blob has %d bytes and digest %s, the layer says %d and %s", len(blob), hash(blob), l.Size,
					l.Digest)
			}
			plain := untar(t, st, l)
			if hash(plain) != l.DiffID.Hex {
				t.Errorf("the tar has digest %s, the layer says %s", hash(plain), l.DiffID)
			}
			if got := files(t, plain)["big"]; !bytes.Equal(got, big) {
				t.Errorf("the big file came out with %d bytes, want %d", len(got), len(big))
			}
			if !bytes.HasSuffix(plain, make([]byte, 2*512)) {
				t.Error("the tar does not end with two empty blocks")
			}
		})
	}
}

func write(tb testing.TB, st *store.Store, entries []layer.Entry, o layer.Options) layer.Layer {
	tb.Helper()
	l, err := layer.Write(tb.Context(), st, entries, o)
	if err != nil {
		tb.Fatal(err)
	}
	l.Seconds = 0 // differs
	return l
}

// untar decompresses a layer with the standard library or klauspost's zstd.
func untar(tb testing.TB, st *store.Store, l layer.Layer) []byte {
	tb.Helper()
	f, err := st.Open(l.Digest)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var r io.Reader
	if l.MediaType == types.OCILayerZStd {
		z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			tb.Fatal(err)
		}
		defer z.Close()
		r = z
	} else if r, err = gzip.NewReader(f); err != nil {
		tb.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// listing writes every header of a tar as one line.
func listing(tb testing.TB, b []byte) string {
	tb.Helper()
	var s strings.Builder
	each(tb, b, func(h *tar.Header, content []byte) {
		fmt.Fprintf(&s, "%c %04o %d:%d %s %5d %q", h.Typeflag, h.Mode, h.Uid,
			h.Gid, h.ModTime.UTC().Format(time.RFC3339), h.Size, h.Name)
		if h.Linkname != "" {
			fmt.Fprintf(&s, " -> %q", h.Linkname)
		}
		for _, k := range slices.Sorted(maps.Keys(h.PAXRecords)) {
			if h.PAXRecords[k] == usersOwn {
				fmt.Fprintf(&s, " %s=O:BUG:BU", k)
				continue
			}
			fmt.Fprintf(&s, " %s=%q", k, h.PAXRecords[k])
		}
		if len(content) > 0 {
			fmt.Fprintf(&s, " %q", content)
		}
		if h.Uname+h.Gname != "" || !h.AccessTime.IsZero() && !h.AccessTime.Equal(h.ModTime) ||
			!h.ChangeTime.IsZero() && !h.ChangeTime.Equal(h.ModTime) {
			fmt.Fprintf(&s, " and %s:%s %s %s", h.Uname, h.Gname, h.AccessTime, h.ChangeTime)
		}
		s.WriteByte('\n')
	})
	return s.String()
}

func files(tb testing.TB, b []byte) map[string][]byte {
	tb.Helper()
	m := map[string][]byte{}
	each(tb, b, func(h *tar.Header, content []byte) { m[h.Name] = content })
	return m
}

func each(tb testing.TB, b []byte, visit func(*tar.Header, []byte)) {
	tb.Helper()
	for r := tar.NewReader(bytes.NewReader(b)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			tb.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			tb.Fatal(err)
		}
		visit(h, content)
	}
}

func hash(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
