package builder

import (
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/output"
)

const (
	keptLines = 20
	maxLine   = 4096 // bytes of a line that are kept
)

// lines takes what a builder prints, and keeps its last lines.
type lines struct {
	note func(string) // with each line; nil: nobody
	part []byte       // of a line that has not ended
	last []string     // cleaned; none is empty
	seen located      // of the place of a failure
}

// Write takes p apart into lines. A carriage return ends one, too: that is how progress is drawn.
func (l *lines) Write(p []byte) (int, error) {
	for _, c := range p {
		switch {
		case c == '\n' || c == '\r':
			l.end()
		case len(l.part) < maxLine:
			l.part = append(l.part, c)
		}
	}
	return len(p), nil
}

// end takes the line that has begun.
func (l *lines) end() {
	text := output.Line(strings.TrimRight(strip(string(l.part)), " \t"))
	l.part = l.part[:0]
	if strings.TrimSpace(text) == "" {
		return
	}
	l.seen.take(text)
	if l.last = append(l.last, text); len(l.last) > keptLines {
		l.last = append(l.last[:0], l.last[len(l.last)-keptLines:]...)
	}
	if l.note != nil {
		l.note(strings.TrimSpace(text))
	}
}

// escapes are sequences that move the cursor, choose colors or set titles.
var escapes = lazyregexp.New(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])`)

// strip removes escape sequences, and writes a tab as spaces.
func strip(s string) string {
	if strings.Contains(s, "\x1b") {
		s = escapes.ReplaceAllString(s, "")
	}
	return strings.ReplaceAll(s, "\t", "    ")
}
