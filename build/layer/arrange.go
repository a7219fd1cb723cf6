package layer

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// arrange checks the entries, adds the directories above them, and sorts: parents before children, hard links after all
// that they may point to.
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
			} else if parent.Type != Dir && parent.Type != parentDir && parent.Type != Opaque {
				return nil, fmt.Errorf("%s lies in %s, which is no directory", p, dir)
			}
		}
	}
	if os == platform.Windows {
		if err := oneCase(byPath); err != nil {
			return nil, err
		}
	}
	all := make([]Entry, 0, len(byPath))
	for _, p := range slices.Sorted(maps.Keys(byPath)) {
		e := byPath[p]
		if e.Type == Hardlink {
			if target, ok := byPath[e.Linkname]; !ok || target.Type != Regular {
				return nil, fmt.Errorf("%s is a hard link to %s, which is no file of this layer", e.Path, e.Linkname)
			}
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(late(a), late(b)), cmp.Compare(a.Path, b.Path))
	})
	return all, nil
}

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
	if e.Type == Opaque {
		return fmt.Errorf("path %s: Windows layers have no opaque directories: remove its files one by one", e.Path)
	}
	return windowsName(e.Path)
}

// oneCase refuses paths that differ only in case.
func oneCase(byPath map[string]Entry) error {
	folded := map[string]string{}
	for _, p := range slices.Sorted(maps.Keys(byPath)) {
		lower := strings.ToLower(p)
		if other, ok := folded[lower]; ok {
			return fmt.Errorf("paths %s and %s differ only in case: Windows takes them for one file", other, p)
		}
		folded[lower] = p
	}
	return nil
}

// parentDir is a directory nobody asked for: it is there because something lies in it. On Windows it has no security descriptor
// of its own, so that a directory of the base keeps the one it has.
const parentDir Type = 0xff

func late(e Entry) int {
	if e.Type == Hardlink {
		return 1
	}
	return 0
}

// isDevice reports whether name is that of a device, which no file can have on Windows, with or without an extension
// (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	return device.MatchString(strings.TrimRight(stem, " "))
}

var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³])$`)

func windowsName(p string) error {
	for _, part := range strings.Split(p[1:], "/") {
		switch {
		case isDevice(part):
			return fmt.Errorf("path %s: %s is a device name on Windows: rename the file", p, part)
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
			return fmt.Errorf("path %s: Windows drops the dot or space at the end of %q: rename the file", p, part)
		case strings.ContainsAny(part, `<>:"\|?*`) || strings.ContainsFunc(part, func(r rune) bool { return r < 32 }):
			return fmt.Errorf("path %s: %q has a character that Windows names cannot have: rename the file", p, part)
		}
	}
	return nil
}
