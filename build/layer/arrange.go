package layer

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// Check returns what is wrong with entries that shall become one layer, and nil where [Write] can
// write them: a path that is not absolute and clean, a hard link to nothing, and for Windows a
// name that Windows cannot have, or two that it takes for one.
func Check(entries []Entry, os string) error {
	_, err := arrange(entries, os)
	return err
}

// arrange checks the entries, adds the directories above them, and sorts: parents before
// children, hard links after all that they may point to.
func arrange(entries []Entry, os string) ([]Entry, error) {
	byPath := map[string]Entry{}
	for _, e := range entries {
		if err := check(e, os); err != nil {
			return nil, err
		}
		if e.Path != "/" {
			byPath[e.Path] = e
		}
	}
	for _, p := range slices.Sorted(maps.Keys(byPath)) {
		for dir := path.Dir(p); dir != "/"; dir = path.Dir(dir) {
			parent, ok := byPath[dir]
			if !ok {
				byPath[dir] = Entry{Path: dir, Type: parentDir, Mode: 0o755}
			} else if parent.Type != Dir && parent.Type != parentDir {
				return nil, fmt.Errorf("%s lies in %s, which is not a directory", p, dir)
			}
		}
	}
	if os == platform.Windows {
		if err := oneCase(byPath); err != nil {
			return nil, err
		}
		directoryLinks(byPath)
	}
	all := make([]Entry, 0, len(byPath))
	for _, p := range slices.Sorted(maps.Keys(byPath)) {
		e := byPath[p]
		if e.Type == Hardlink {
			target, ok := byPath[e.Linkname]
			if !ok || target.Type != Regular {
				return nil, fmt.Errorf("%s is a hard link to %s, which is not a file of this layer", e.Path, e.Linkname)
			}
			// The two are one file, and who unpacks the link sets these again.
			e.Mode, e.UID, e.GID, e.ModTime = target.Mode, target.UID, target.GID, target.ModTime
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(late(a), late(b)), cmp.Compare(a.Path, b.Path))
	})
	return all, nil
}

// whiteoutPrefix begins the names of files that remove files of lower layers.
const whiteoutPrefix = ".wh."

// check looks at one entry for itself.
func check(e Entry, os string) error {
	if !path.IsAbs(e.Path) || path.Clean(e.Path) != e.Path || e.Path == "/" && e.Type != Dir {
		return fmt.Errorf("path %q is not absolute and clean", e.Path)
	}
	if strings.Contains(e.Path, "/"+whiteoutPrefix) {
		return fmt.Errorf("path %s: a name that begins with %s removes files of lower layers: rename the file", e.Path, whiteoutPrefix)
	}
	if os != platform.Windows {
		return nil
	}
	return windowsName(e.Path)
}

// parentDir is a directory that was not asked for: it exists for the entries in it. On Windows
// it has no security descriptor of its own, so that a directory of the base keeps the one it has.
const parentDir Type = 0xff

func late(e Entry) int {
	if e.Type == Hardlink {
		return 1
	}
	return 0
}

// directoryLink is a symbolic link to a directory, which on Windows is another kind of file than
// one to a file.
const directoryLink Type = 0xfe

// maxLinks bounds how many links lead to a directory, as Windows does.
const maxLinks = 63

// directoryLinks finds the symbolic links to directories of this layer, through other links, too.
// What lies in lower layers is not known here: a link to it is one to a file.
func directoryLinks(byPath map[string]Entry) {
	for p, e := range byPath {
		at := e
		for range maxLinks {
			if at.Type != Symlink && at.Type != directoryLink {
				break
			}
			to := strings.ReplaceAll(at.Linkname, `\`, "/")
			if !path.IsAbs(to) {
				to = path.Join(path.Dir(at.Path), to)
			}
			at = byPath[path.Clean(to)]
		}
		if e.Type == Symlink && (at.Type == Dir || at.Type == parentDir) {
			e.Type = directoryLink
			byPath[p] = e
		}
	}
}
