package engine

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// memory is the file system that kustomize sees: the files of a kustomization by their absolute
// paths, with the tree as its root. Kustomize's own takes fewer names.
type memory struct {
	filesys.FileSystem // nil: kustomize calls no other methods

	files map[string][]byte
	dirs  map[string]bool
}

func newMemory(files map[string][]byte) memory {
	m := memory{files: files, dirs: map[string]bool{"/": true}}
	for name := range files {
		for dir := path.Dir(name); !m.dirs[dir]; dir = path.Dir(dir) {
			m.dirs[dir] = true
		}
	}
	return m
}

// CleanedAbs returns a path's directory, and its file if it is not a directory itself.
func (m memory) CleanedAbs(name string) (filesys.ConfirmedDir, string, error) {
	name = path.Join("/", filepath.ToSlash(name))
	switch {
	case m.dirs[name]:
		return filesys.ConfirmedDir(name), "", nil
	case m.Exists(name):
		return filesys.ConfirmedDir(path.Dir(name)), path.Base(name), nil
	}
	return "", "", fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// Exists reports whether there is a file or directory.
func (m memory) Exists(name string) bool {
	_, ok := m.files[path.Clean(name)]
	return ok || m.IsDir(name)
}

// IsDir reports whether there is a directory.
func (m memory) IsDir(name string) bool { return m.dirs[path.Clean(name)] }

// ReadFile returns the content of a file.
func (m memory) ReadFile(name string) ([]byte, error) {
	if text, ok := m.files[path.Join("/", name)]; ok {
		return text, nil
	}
	return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}
