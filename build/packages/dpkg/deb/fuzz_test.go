package deb

import (
	"archive/tar"
	"bytes"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/testing/debtest"
)

// FuzzOpen checks that reading damaged packages ends, with an error that names them.
func FuzzOpen(f *testing.F) {
	b := debtest.Make(debtest.Package{
		Control: "Package: a\nVersion: 1\n", Info: map[string]string{"postinst": "#!/bin/sh\n"},
	})
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := Open("a.deb", layer.Bytes(b), Identity{})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "package a.deb: ") {
				t.Error(err)
			}
			return
		}
		if d.Package == "" || d.Version == "" || d.Architecture == "" || strings.ContainsAny(d.Package+d.Architecture, "/\n") {
			t.Errorf("it is %+v", d.Identity)
		}
	})
}

// FuzzMember checks that the files of a package stay in their place.
func FuzzMember(f *testing.F) {
	f.Add(debtest.Tar([]debtest.File{
		{Name: "./"},
		{Name: "./etc/a", Text: "x"},
		{Name: "./etc/b", Hard: "./etc/a"},
		{Name: "./etc/c", Link: "a"},
		{Name: "./etc/c/d", Text: "x"},
		{Name: "../x", Text: "x"},
	}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := tar.NewReader(bytes.NewReader(b))
		w := walker{kinds: map[string]layer.Type{}}
		for {
			h, err := r.Next()
			if err != nil {
				return
			}
			n := &tree.Node{Kind: map[byte]layer.Type{tar.TypeDir: layer.Dir, tar.TypeSymlink: layer.Symlink}[h.Typeflag]}
			m, err := w.member(h, n)
			if err == nil {
				err = w.placed(m.Path)
			}
			if err != nil {
				continue
			}
			for _, p := range []string{m.Path, m.Link} {
				if (p == m.Path || m.Kind == layer.Hardlink) &&
					(!strings.HasPrefix(p, "/") || strings.Contains(p+"/", "/../") || strings.Contains(p, "\n")) {
					t.Errorf("%q leads to %q", h.Name, p)
				}
			}
		}
	})
}
