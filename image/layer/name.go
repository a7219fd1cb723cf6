package layer

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

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

// oneCase refuses paths that differ only in case.
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
