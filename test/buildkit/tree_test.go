//go:build linux

package buildkit

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/layer"
)

// tree is a file system flattened: a line for each path.
type tree map[string]string

// addImage lays the layers of an image over t. BuildKit on Linux writes layers in the layout of
// Windows (below Files/) only where a base from a registry has it; from scratch it writes the
// layout of Linux, which Windows does not read. Here both are read.
func (t tree) addImage(tb testing.TB, img v1.Image, windows bool) {
	tb.Helper()
	layers, err := img.Layers()
	fail(tb, err)
	for _, l := range layers {
		r, err := l.Uncompressed()
		fail(tb, err)
		tr := tar.NewReader(r)
		for {
			h, err := tr.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			fail(tb, err)
			t.addHeader(tb, h, tr, windows)
		}
		fail(tb, r.Close())
	}
}

func (t tree) addHeader(tb testing.TB, h *tar.Header, content io.Reader, windows bool) {
	tb.Helper()
	name, link := path.Clean("/"+h.Name), h.Linkname
	if windows && (name == "/Hives" || name == "/Files") {
		return
	}
	if windows {
		name, link = strings.TrimPrefix(name, "/Files"), strings.TrimPrefix(link, "Files")
	}
	dir, base := path.Split(name)
	switch {
	case name == "/":
	case base == ".wh..wh..opq":
		t.remove(path.Clean(dir), false)
	case strings.HasPrefix(base, ".wh."):
		t.remove(path.Join(dir, base[len(".wh."):]), true)
	case h.Typeflag == tar.TypeLink:
		t.put(name, t[path.Clean("/"+link)], false)
	case h.Typeflag == tar.TypeSymlink:
		t.put(name, describe(windows, "link", 0o777, h.Uid, h.Gid, h.Linkname), false)
	case h.Typeflag == tar.TypeDir:
		t.put(name, describe(windows, "dir", h.Mode, h.Uid, h.Gid, ""), true)
	default:
		b, err := io.ReadAll(content)
		fail(tb, err)
		t.put(name, describe(windows, "file", h.Mode, h.Uid, h.Gid, contentOf(b)), false)
	}
}

// addEntries lays entries over t, with the directories above them that package layer adds.
func (t tree) addEntries(tb testing.TB, entries []layer.Entry, windows bool) {
	tb.Helper()
	for _, e := range entries {
		if e.Type == layer.Whiteout {
			t.remove(e.Path, true)
		}
	}
	for _, e := range entries {
		for dir := path.Dir(e.Path); dir != "/"; dir = path.Dir(dir) {
			if _, ok := t[dir]; !ok {
				tb.Errorf("%s has no entry for the directory %s above it", e.Path, dir)
			}
		}
		mode := int64(e.Mode.Perm())
		for bit, special := range map[int64]fs.FileMode{
			0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid,
			0o1000: fs.ModeSticky,
		} {
			if e.Mode&special != 0 {
				mode |= bit
			}
		}
		switch e.Type {
		case layer.Dir:
			t.put(e.Path, describe(windows, "dir", mode, e.UID, e.GID, ""), true)
		case layer.Symlink:
			t.put(e.Path, describe(windows, "link", 0o777, e.UID, e.GID, e.Linkname), false)
		case layer.Regular:
			r, err := e.Content.Open()
			fail(tb, err)
			b, err := io.ReadAll(r)
			fail(tb, errors.Join(err, r.Close()))
			t.put(e.Path, describe(windows, "file", mode, e.UID, e.GID, contentOf(b)), false)
		case layer.Whiteout, layer.Hardlink:
		default:
			tb.Errorf("%s has type %d", e.Path, e.Type)
		}
	}
	for _, e := range entries {
		if e.Type == layer.Hardlink {
			t.put(e.Path, t[e.Linkname], false)
		}
	}
}

func describe(windows bool, kind string, mode int64, uid, gid int, content string) string {
	if windows { // modes and owners mean nothing there
		return strings.TrimSpace(kind + " " + content)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %04o %d:%d %s", kind, mode, uid, gid, content))
}

func (t tree) put(p, what string, dir bool) {
	if !dir {
		t.remove(p, true)
	}
	t[p] = what
}

func (t tree) remove(p string, itself bool) {
	for other := range t {
		if itself && other == p || strings.HasPrefix(other, strings.TrimSuffix(p, "/")+"/") {
			delete(t, other)
		}
	}
}

func fail(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
