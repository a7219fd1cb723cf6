// Package output makes text safe to show: it redacts secrets and escapes terminal sequences.
//
// Others wrote much of what slipway prints: answers of registries, names in a bundle, files of a
// build context. All of it passes one [Writer], which the command puts in front of standard
// output and standard error, so that no caller can forget it. The Writer works on lines. [Line]
// and [Excerpt] are for text that becomes part of a line: they escape line breaks, too, so that
// no text can add a line to a message or a row to a table.
//
// Safe text is unchanged, byte for byte. An escaped JSON string is still JSON and has the same
// value.
package output

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns s without secrets, with all but line breaks, tabs and printable characters escaped.
func Text(s string) string { return printable(redact(s), "\n\t") }

// Line returns s without secrets, with all but printable characters escaped, on one line.
func Line(s string) string { return printable(redact(s), "") }

// Excerpt is [Line] of the first n bytes of s. Secrets are redacted first, since a part of one
// would not be recognized.
func Excerpt(s string, n int) string {
	s = redact(strings.TrimSpace(s))
	if len(s) <= n {
		return printable(s, "")
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return printable(s[:n], "") + "…"
}

// IsLine reports whether [Line] leaves s unchanged, apart from secrets.
func IsLine(s string) bool { return printable(s, "") == s }

// printable escapes all characters that are invisible, except those in keep.
func printable(s, keep string) string {
	shown := func(r rune) bool { return visible(r) || strings.ContainsRune(keep, r) }
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !shown(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case shown(r):
			b.WriteString(s[:n])
		default:
			b.WriteString(escape(r))
		}
		s = s[n:]
	}
	return b.String()
}

// visible reports whether a character is shown as itself. Control characters, marks that change
// the direction of text, characters without width and line separators are not, nor are those that
// programs should ignore according to Unicode.
func visible(r rune) bool {
	return (unicode.IsPrint(r) || unicode.Is(unicode.Zs, r)) &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// escape writes a character in ASCII, if possible in a form that is valid in JSON.
func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < ' ':
		return fmt.Sprintf(`\x%02x`, r)
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
