package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/regular"
)

// place is where a repository is. Nothing in it was run or obeyed to find that out.
type place struct {
	root   string // of the work tree; "" of a bare repository
	git    string // the directory with HEAD and index
	common string // the directory with refs, objects and configuration: git, but for other work trees
}

// maxText bounds the small files of a repository: HEAD, commondir, a ref.
const maxText = 4 << 10

// ErrNone is the error for a directory that is in no repository.
var ErrNone = errors.New("git: not a git repository (or any of the parent directories)")

// locate finds the repository of a directory as git does: .git in it or above, which may be a file
// that names the directory, or a bare repository.
func locate(dir string) (place, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return place{}, fmt.Errorf("git: %w", err)
	}
	ends := ceilings()
	for {
		at, err := gitDir(dir)
		if err != nil {
			return place{}, fmt.Errorf("git: %w", err)
		}
		if at != "" {
			return newPlace(dir, at)
		}
		if isRepository(dir) {
			return newPlace("", dir)
		}
		above := filepath.Dir(dir)
		if above == dir || slices.Contains(ends, above) {
			return place{}, ErrNone
		}
		dir = above
	}
}

// gitDir returns the directory of the repository whose work tree has its root in dir; "" for none.
func gitDir(dir string) (string, error) {
	name := filepath.Join(dir, ".git")
	switch fi, err := os.Stat(name); {
	case err != nil:
		return "", nil //nolint:nilerr // there is none, or an unreadable one
	case fi.IsDir():
		if isRepository(name) {
			return name, nil
		}
		return "", checkFile(filepath.Join(name, "HEAD"))
	}
	text, err := regular.ReadMost(name, maxText)
	if err != nil {
		return "", err
	}
	at, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if at = filepath.FromSlash(at); ok && !filepath.IsAbs(at) {
		at = filepath.Join(dir, at)
	}
	if !ok || !isRepository(at) {
		return "", fmt.Errorf("%s names no repository", name)
	}
	return at, nil
}

func newPlace(root, at string) (place, error) {
	p := place{root, at, commonDir(at)}
	if strings.ContainsAny(p.common, "\n\r") {
		return place{}, fmt.Errorf("git: the path of the repository %q has a line break: rename it", p.common)
	}
	return p, nil
}

// commonDir returns the directory that work trees of a repository have in common.
func commonDir(at string) string {
	text, err := regular.ReadMost(filepath.Join(at, "commondir"), maxText)
	if err != nil {
		return at
	}
	common := filepath.FromSlash(strings.TrimRight(string(text), "\r\n"))
	if !filepath.IsAbs(common) {
		common = filepath.Join(at, common)
	}
	return common
}

// isRepository reports whether a directory is a repository by what git looks at.
func isRepository(at string) bool {
	if fi, err := os.Stat(filepath.Join(at, "HEAD")); err != nil || !fi.Mode().IsRegular() {
		return false
	}
	common := commonDir(at)
	for _, name := range []string{"objects", "refs"} {
		if fi, err := os.Stat(filepath.Join(common, name)); err != nil || !fi.IsDir() {
			return false
		}
	}
	return true
}

// ceilings are the directories above which git looks for no repository.
func ceilings() []string {
	all := filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES"))
	for n, c := range all {
		if resolved, err := filepath.EvalSymlinks(c); err == nil {
			all[n] = resolved
		}
	}
	return all
}
