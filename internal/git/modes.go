package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Modes knows the modes of tracked files, which are the same in every clone: git keeps only
// whether a file is executable, and the umask decides the rest. Each repository is read once, when
// a file in it is first asked for. The zero value is ready for use.
type Modes struct {
	mu    sync.Mutex
	trees map[string]*tracked // by directory; nil for one outside of any repository
	links map[string]string   // directories without symbolic links
}

// tracked is what the index of a repository has.
type tracked struct {
	root  string
	files map[string]bool // by path; whether the file is executable
	dirs  map[string]bool // those with a tracked file or submodule
	index bool            // the executable bits of the index count: core.fileMode is false
}

// Of returns the mode of a file or directory, of which fi comes from the disk. A tracked file has
// 0755 if it is executable, else 0644; a directory with tracked files has 0755. Anything else has
// the mode of the disk: symbolic links, untracked files, and everything if git is missing. path
// is absolute.
func (m *Modes) Of(ctx context.Context, path string, fi fs.FileInfo) (fs.FileMode, error) {
	disk := fi.Mode()
	if !disk.IsRegular() && !disk.IsDir() {
		return disk, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base := path, "."
	if !disk.IsDir() {
		dir, base = filepath.Split(path)
	}
	dir = m.resolved(filepath.Clean(dir))
	t, err := m.tree(ctx, dir)
	if err != nil || t == nil {
		return disk, err
	}
	rel, err := filepath.Rel(t.root, filepath.Join(dir, base))
	if err != nil {
		return disk, err
	}
	return t.mode(filepath.ToSlash(rel), disk), nil
}

func (t *tracked) mode(rel string, disk fs.FileMode) fs.FileMode {
	executable, ok := t.files[rel]
	if disk.IsDir() {
		executable, ok = true, t.dirs[rel]
	} else if !t.index {
		executable = disk&0o100 != 0
	}
	switch {
	case !ok:
		return disk
	case executable:
		return disk.Type() | 0o755
	}
	return disk.Type() | 0o644
}

// resolved returns a directory without symbolic links.
func (m *Modes) resolved(dir string) string {
	to, ok := m.links[dir]
	if !ok {
		var err error
		if to, err = filepath.EvalSymlinks(dir); err != nil {
			to = dir
		}
		if m.links == nil {
			m.links = map[string]string{}
		}
		m.links[dir] = to
	}
	return to
}

// tree returns the index of the repository whose work tree has a directory.
func (m *Modes) tree(ctx context.Context, dir string) (*tracked, error) {
	if t, ok := m.trees[dir]; ok {
		return t, nil
	}
	var t *tracked
	at, err := gitDir(dir)
	switch above := filepath.Dir(dir); {
	case err == nil && at != "":
		if t, err = readTracked(ctx, dir); err != nil && !errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("reading which files %s tracks: %w", dir, err)
		}
	case above != dir && !slices.Contains(ceilings(), above):
		if t, err = m.tree(ctx, above); err != nil {
			return nil, err
		}
	}
	if m.trees == nil {
		m.trees = map[string]*tracked{}
	}
	m.trees[dir] = t
	return t, nil
}

// readTracked reads the index of the repository whose work tree has its root in dir.
func readTracked(ctx context.Context, dir string) (*tracked, error) {
	v, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer v.close()
	out, err := v.run(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	t := &tracked{
		root: v.place.root, files: map[string]bool{}, dirs: map[string]bool{},
		index: v.settings.isFalse("core.filemode"),
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		info, name, ok := strings.Cut(entry, "\t")
		if !ok {
			continue
		}
		above := path.Dir(name)
		if mode, _, _ := strings.Cut(info, " "); mode == "160000" {
			above = name // a submodule is a directory
		} else {
			t.files[name] = mode == "100755"
		}
		for !t.dirs[above] {
			t.dirs[above] = true
			above = path.Dir(above)
		}
	}
	return t, nil
}

// isFalse reports whether a setting is false, in one of the ways in which git writes it.
func (s *settings) isFalse(name string) bool {
	value, ok := s.values[name]
	return ok && slices.Contains([]string{"", "false", "no", "off", "0"}, strings.ToLower(value))
}
