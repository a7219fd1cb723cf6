package chart

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Marks are put into templates behind the text of each line. What they are in the rendered text
// identifies the line that made it.
const (
	markStart = '\uE0A0' // private use, so that YAML takes them and no chart has them
	markEnd   = '\uE0A1'
)

var mark = lazyregexp.New(`\x{E0A0}(\d+)\x{E0A1}`)

// marker puts marks into templates.
type marker struct {
	places  []string // by number
	defines bool     // also in named templates, whose output others may read as a value
}

// text returns a template with marks.
func (m *marker) text(_ int, f File) string {
	text := string(f.Data)
	if strings.ContainsRune(text, markStart) {
		return text
	}
	all := scanActions(text)
	named := defined(all)
	var b strings.Builder
	from, start, n, inside := 0, 0, 0, false
	for line := 1; ; line++ {
		end := strings.IndexByte(text[start:], '\n')
		if end < 0 {
			break
		}
		end += start
		first := n
		for n < len(all) && all[n].end <= end {
			inside = named[n] && (all[n].word != "end" || n+1 < len(all) && named[n+1])
			n++
		}
		within := n < len(all) && all[n].start < end
		if !within && (!inside || m.defines && field.MatchString(text[start:end])) &&
			makesText(text[:end], start, all[first:n]) {
			stop := end
			if stop > start && text[stop-1] == '\r' {
				stop--
			}
			b.WriteString(text[from:stop] + string(markStart) + strconv.Itoa(len(m.places)) + string(markEnd))
			m.places = append(m.places, fmt.Sprintf("%s:%d", f.Shown, line))
			from = stop
		}
		start = end + 1
	}
	b.WriteString(text[from:])
	return b.String()
}

// field matches the lines of named templates that are YAML. Lines of another form may be names
// that other templates use.
var field = lazyregexp.New(`^\s*(- |[\w."'/-]+:([ "]|\r?$))`)

// makesText reports whether the last line of a text, which begins at start, makes text that its
// end follows. The actions are those that end on the line.
func makesText(text string, start int, actions []action) bool {
	literal, prints, from := "", false, start
	for _, a := range actions {
		literal += text[from:max(a.start, from)]
		from = a.end
		prints = prints || a.prints()
	}
	literal += text[from:]
	if len(actions) > 0 && strings.TrimSpace(text[from:]) == "" && strings.HasSuffix(text[:from], "-}}") {
		return false // which trims the end of the line
	}
	return prints || strings.TrimSpace(literal) != ""
}
