package layer

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

// Check reports why entries cannot be written as one layer, and returns nil where [Write] can
// write them: a path that is not absolute and clean, a hard link to nothing, and for Windows a
// name that Windows cannot have, or two that it takes for one.
func Check(entries []Entry, os string) error {
	_, err := arrange(entries, os)
	return err
}

// arrange checks the entries, adds the directories above them, and sorts: parents before
// children, hard links after all that they may point to.
func arrange(entries []Entry, os string) ([]Entry, error) {
	all, at, err := unique(entries, os)
	if err != nil {
		return nil, err
	}
	if all, err = parents(all, at); err != nil {
		return nil, err
	}
	if os == platform.Windows {
		if err := oneCase(all); err != nil {
			return nil, err
		}
		directoryLinks(all, at)
	}
	for n := range all {
		e := &all[n]
		if e.Type != Hardlink {
			continue
		}
		i, ok := at[e.Linkname]
		if !ok || all[i].Type != Regular {
			return nil, fmt.Errorf("%s is a hard link to %s, which is not a file of this layer", e.Path, e.Linkname)
		}
		// The two are one file, and who unpacks the link sets these again: a change of the owner
		// removes capabilities.
		e.Mode, e.UID, e.GID, e.ModTime = all[i].Mode, all[i].UID, all[i].GID, all[i].ModTime
		e.Capability = all[i].Capability
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(late(a), late(b)), strings.Compare(a.Path, b.Path))
	})
	return all, nil
}

// unique returns the checked entries sorted by path, the last of each, and where each is.
func unique(entries []Entry, os string) (all []Entry, at map[string]int, err error) {
	for _, e := range entries {
		if err := check(e, os); err != nil {
			return nil, nil, err
		}
	}
	all = slices.Clone(entries)
	slices.SortStableFunc(all, byPath)
	n := 0
	at = make(map[string]int, len(all))
	for _, e := range all {
		if e.Path == "/" {
			continue
		}
		if i, ok := at[e.Path]; ok {
			all[i] = e
			continue
		}
		all[n], at[e.Path] = e, n
		n++
	}
	return all[:n], at, nil
}

func byPath(a, b Entry) int { return strings.Compare(a.Path, b.Path) }

// parents adds the directories that lack to sorted entries.
func parents(all []Entry, at map[string]int) ([]Entry, error) {
	given := len(all)
	for n := range given {
		for dir := path.Dir(all[n].Path); dir != "/"; dir = path.Dir(dir) {
			i, ok := at[dir]
			if ok && all[i].Type != Dir && all[i].Type != parentDir {
				return nil, fmt.Errorf("%s lies in %s, which is not a directory", all[n].Path, dir)
			}
			if ok {
				break // the directories above it are checked with their own entry
			}
			at[dir] = len(all)
			all = append(all, Entry{Path: dir, Type: parentDir, Mode: 0o755})
		}
	}
	if len(all) == given {
		return all, nil
	}
	slices.SortFunc(all, byPath)
	for n, e := range all {
		at[e.Path] = n
	}
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
		return fmt.Errorf("path %s: a name that begins with %s removes files of lower layers: rename the file",
			e.Path, whiteoutPrefix)
	}
	if os != platform.Windows {
		return nil
	}
	return WindowsName(e.Path)
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
// The files of lower layers are unknown: a link to one counts as a link to a file.
func directoryLinks(all []Entry, by map[string]int) {
	for n := range all {
		at := all[n]
		for range maxLinks {
			if at.Type != Symlink && at.Type != directoryLink {
				break
			}
			to := strings.ReplaceAll(at.Linkname, `\`, "/")
			if !path.IsAbs(to) {
				to = path.Join(path.Dir(at.Path), to)
			}
			i, ok := by[path.Clean(to)]
			if at = (Entry{}); ok {
				at = all[i]
			}
		}
		if all[n].Type == Symlink && (at.Type == Dir || at.Type == parentDir) {
			all[n].Type = directoryLink
		}
	}
}

// Fold returns the spelling by which Windows knows a name or a path: two with one folding are one
// file there. Each character of 16 bits becomes its capital, if the small letter of that is the
// character again: the dotless i and the final sigma are letters of their own.
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		if upper := unicode.ToUpper(r); r <= maxUnit && unicode.ToLower(upper) == r {
			return upper
		}
		return r
	}, name)
}

const maxUnit = 0xffff

func oneCase(all []Entry) error {
	folded := make(map[string]string, len(all))
	for _, e := range all {
		p, f := e.Path, Fold(e.Path)
		if other, ok := folded[f]; ok {
			return fmt.Errorf("paths %s and %s differ only in case: Windows takes them for one file", other, p)
		}
		folded[f] = p
	}
	return nil
}

// device is a name that no file can have on Windows, without its extension.
var device = lazyregexp.New(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³])$`)

// isDevice reports whether name is that of a device, which no file can have on Windows, with or
// without an extension (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	return device.MatchString(strings.TrimRight(stem, " "))
}

// maxName is how long one name can be on NTFS, in units of UTF-16. A path may be as long as it
// likes: Windows unpacks layers by paths that MAX_PATH does not bound.
const maxName = 255

// WindowsName returns an error for an absolute path that no file can have on Windows.
func WindowsName(p string) error {
	for _, part := range strings.Split(p[1:], "/") {
		switch {
		case isDevice(part):
			return fmt.Errorf("path %s: %s is a device name on Windows: rename the file", p, part)
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
			return fmt.Errorf("path %s: Windows drops the dot or space at the end of %q: rename the file", p, part)
		case strings.ContainsAny(part, `<>:"|?*`+"\\") ||
			strings.ContainsFunc(part, func(r rune) bool { return r < 32 }):
			return fmt.Errorf("path %s: %q has a character that Windows names cannot have: rename the file", p, part)
		case !utf8.ValidString(part):
			return fmt.Errorf("path %q: the name %q is not UTF-8, and Windows has no other: rename the file", p, part)
		case len(utf16.Encode([]rune(part))) > maxName:
			return fmt.Errorf("path %s: a name has more than %d characters, which Windows cannot keep: rename the file",
				p, maxName)
		}
	}
	return nil
}
