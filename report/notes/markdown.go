package notes

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/output"
)

// maxText bounds in bytes a name or version in notes.
const maxText = 300

// harmless matches text that a code span shows as it is, in a table, too.
var harmless = lazyregexp.New(`^[A-Za-z0-9./:@_+=~ ,-]+$`)

// code returns untrusted text as code that Markdown does not interpret: no link, no mention, no
// end of the code or of a table's cell.
func code(s string) string {
	s = strings.TrimSpace(output.Excerpt(s, maxText))
	if harmless.MatchString(s) {
		return "`" + s + "`"
	}
	return "<code>" + text(s) + "</code>"
}

// text returns untrusted text of which Markdown and HTML interpret nothing: all but letters,
// digits and what never has a meaning within a word is a character reference
// (https://spec.commonmark.org/0.31.2/#entity-and-numeric-character-references).
func text(s string) string {
	var b strings.Builder
	for _, r := range output.Excerpt(s, maxText) {
		switch {
		case r >= 0x80, 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == ' ', r == '.', r == '-':
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}
