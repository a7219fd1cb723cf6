package tree

import (
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
)

// Node is one file, which does not change once it is in a tree.
type Node struct {
	Kind     layer.Type // Regular, Dir, Symlink; odd names any other
	Odd      string     // why the file cannot be copied, empty for those that can
	Mode     fs.FileMode
	UID, GID int
	Link     string
	size     int64                         // in bytes, as far as it is known without the content
	Content  func() (layer.Content, error) // of a regular file
	Made     any                           // a *download or *GoBuild of a RUN, nil for any other file
	Stub     bool                          // it is there in the place of what a registry has
	Origin   string                        // the file on disk that it was copied from, if any
	// Hard marks a regular file that has several paths: the same *Node at each, which a layer
	// writes once, with hard links to it.
	Hard bool
	// Capability is the value of the extended attribute security.capability, as Linux stores it
	// (vfs_cap_data of linux/capability.h); empty for none.
	Capability string
}

// Open reads a regular file whose content is there.
func (n *Node) Open() (io.ReadCloser, error) {
	c, err := n.Content()
	if err != nil {
		return nil, err
	}
	return c.Open()
}

// Root is the directory / of a tree without one, and a directory that nothing describes.
var Root = &Node{Kind: layer.Dir, Mode: 0o755}

// Mount is a directory or file that a RUN sees in another place.
type Mount struct {
	Target string // in the tree
	Files  Files
	Source string
}

// Mounted returns the mount that a path is in, and the path in its files.
func (t *Tree) Mounted(p string) (m Mount, rest string, ok bool) {
	for _, m := range t.Mounts {
		if below, ok := strings.CutPrefix(p, m.Target); ok && (below == "" || below[0] == '/' || m.Target == "/") {
			return m, path.Join(m.Source, below), true
		}
	}
	return Mount{}, "", false
}

// Overlay is files with others in or over them.
type Overlay struct {
	Over  *Tree
	Under Files
}

// Lstat returns the file at a path, as [Files] has it.
func (o Overlay) Lstat(p string) (*Node, error) {
	n, err := o.Over.Lstat(p)
	if err != nil || n != nil && n.Kind != layer.Dir {
		return n, err
	}
	below, err := o.Under.Lstat(p)
	if below != nil || err != nil {
		return below, err
	}
	return n, nil
}

// ReadDir returns the sorted names in a directory.
func (o Overlay) ReadDir(p string) ([]string, error) {
	names, err := o.Over.ReadDir(p)
	if err != nil {
		return nil, err
	}
	if n, err := o.Under.Lstat(p); err != nil || n == nil || n.Kind != layer.Dir {
		return names, err
	}
	more, err := o.Under.ReadDir(p)
	all := slices.Concat(names, more)
	slices.Sort(all)
	return slices.Compact(all), err
}

// File is a file that a context shows under a name of its choice. Mode has its permission bits.
type File struct {
	Content layer.Content
	// Later returns the content where a check comes before it is there, and nothing until then; nil
	// means that it is Content.
	Later func() layer.Content
	Mode  fs.FileMode
	Made  any // the program that it is, as in Node; nil for any other file
}

func (f File) content() (layer.Content, error) {
	if f.Later != nil {
		return f.Later(), nil
	}
	return f.Content, nil
}

// FromFiles makes a tree of the single files of a context.
func FromFiles(list map[string]File) (*Tree, error) {
	t := New(nil)
	for _, name := range slices.Sorted(maps.Keys(list)) {
		f := list[name]
		p := path.Join("/", name)
		if err := t.MkdirAll(path.Dir(p), Root); err != nil {
			return nil, err
		}
		err := t.Set(p, &Node{
			Kind: layer.Regular, Mode: f.Mode & fs.ModePerm,
			Content: f.content,
		})
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}
