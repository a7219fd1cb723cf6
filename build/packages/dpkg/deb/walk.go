package deb

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/archive"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// Member is a file of data.tar.
type Member struct {
	Path        string // absolute and clean
	Kind        layer.Type
	Link        string // target of a symbolic link as it is written, or path of the other file of a hard link
	User, Group string // names of the owner, if the tar has any
	Node        *tree.Node
}

// Walk calls do for every file of a .deb in the order in which dpkg unpacks them: symbolic links
// come last. A file that is not in its place, or that no image may have, is an error.
func (d *Deb) Walk(ctx context.Context, a *tree.Archives, do func(m Member) error) error {
	w := walker{kinds: map[string]layer.Type{}}
	var members, links []Member
	err := a.EachOnce(ctx, d.content, d.openData, func(h *tar.Header, n *tree.Node) error {
		m, err := w.member(h, n)
		if err != nil {
			return err
		}
		if m.Kind == layer.Symlink {
			links = append(links, m)
		} else {
			members = append(members, m)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("package %s: %w", d.File, err)
	}
	for _, list := range [][]Member{members, links} {
		for _, m := range list {
			if err := w.placed(m.Path); err != nil {
				return fmt.Errorf("package %s: %w", d.File, err)
			}
			if err := do(m); err != nil {
				return fmt.Errorf("package %s: %w", d.File, err)
			}
		}
	}
	return nil
}

type walker struct{ kinds map[string]layer.Type }

// member checks a header by itself.
func (w *walker) member(h *tar.Header, n *tree.Node) (Member, error) {
	name := strings.TrimPrefix(h.Name, "./")
	switch {
	case h.Format&tar.FormatPAX != 0:
		return Member{}, fmt.Errorf("%.200q has a PAX header, which dpkg refuses: build the package by dpkg-deb",
			h.Name)
	case strings.HasPrefix(h.Name, "/"):
		return Member{}, fmt.Errorf("%.200q is an absolute path: use a package whose paths begin with ./", h.Name)
	case outside(name):
		return Member{}, fmt.Errorf("%.200q leads out of its place by ..: do not use this package", h.Name)
	case strings.ContainsAny(name, "\n\x00"):
		return Member{}, fmt.Errorf("%.200q has a line feed in its name: do not use this package", h.Name)
	}
	m := Member{Path: path.Clean("/" + name), Kind: n.Kind, Link: h.Linkname, User: h.Uname, Group: h.Gname, Node: n}
	switch {
	case n.Odd != "":
		return m, fmt.Errorf("%.200q is %s, which no image may have", m.Path, n.Odd)
	case h.Typeflag == tar.TypeLink:
		link := strings.TrimPrefix(h.Linkname, "./")
		if m.Kind, m.Link = layer.Hardlink, path.Clean("/"+link); outside(link) || strings.HasPrefix(h.Linkname, "/") {
			return m, fmt.Errorf("%.200q is a hard link to %.200q, which is out of its place", m.Path, h.Linkname)
		}
		if k, ok := w.kinds[m.Link]; !ok || k != layer.Regular && k != layer.Hardlink {
			return m, fmt.Errorf("%.200q is a hard link to %.200q, which no file before it is", m.Path, h.Linkname)
		}
	case m.Kind == layer.Symlink && m.Link == "":
		return m, fmt.Errorf("%.200q is a symbolic link to nothing", m.Path)
	case m.Path == "/" && m.Kind != layer.Dir:
		return m, fmt.Errorf("%.200q is a file without a name", h.Name)
	}
	if k, ok := w.kinds[m.Path]; ok && (k != layer.Dir || m.Kind != layer.Dir) {
		return m, fmt.Errorf("%.200q is there twice", m.Path)
	}
	w.kinds[m.Path] = m.Kind
	return m, nil
}

// outside reports whether a name has .. in it.
func outside(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// placed returns an error for a path that goes through something else of the same package that is
// not a directory.
func (w *walker) placed(p string) error {
	for dir := path.Dir(p); dir != "/"; dir = path.Dir(dir) {
		if k, ok := w.kinds[dir]; ok && k != layer.Dir {
			return fmt.Errorf("%.200q goes through %s, which is not a directory of the package: do not use it", p, dir)
		}
	}
	return nil
}

// openData opens data.tar, decompressed. It reads the .deb to its end, so that its reader can
// compare it with its digest.
func (d *Deb) openData() (io.ReadCloser, error) {
	r, err := d.content.Open()
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, r, d.data.offset); err != nil {
		r.Close()
		return nil, err
	}
	plain, err := archive.Decompress(io.LimitReader(r, d.data.size))
	if err != nil {
		r.Close()
		return nil, err
	}
	return &data{plain, r, max(archive.Unsuspected, d.data.size*archive.MaxRatio)}, nil
}

// data is the decompressed data.tar, which may not be a bomb.
type data struct {
	plain io.ReadCloser
	deb   io.ReadCloser
	left  int64
}

func (d *data) Read(p []byte) (int, error) {
	n, err := d.plain.Read(p)
	if d.left -= int64(n); d.left < 0 {
		return n, fmt.Errorf("it unpacks to more than %d MiB, and to more than %d times its size: do not use it",
			archive.Unsuspected>>20, archive.MaxRatio)
	}
	if err == io.EOF {
		if _, err := io.Copy(io.Discard, d.deb); err != nil {
			return n, err
		}
	}
	return n, err
}

func (d *data) Close() error {
	d.plain.Close()
	return d.deb.Close()
}
