package engine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/output"
)

// templatePlace matches the places in the messages of Helm's engine.
var templatePlace = lazyregexp.New(`([^\s()":]+):(\d+)(:\d+)?`)

// failure returns an error of Helm's engine, which may have several lines, in one: the innermost
// place and the problem there.
func (q request) failure(err error) error {
	text := strings.ToValidUTF8(err.Error(), "")
	at, end := "", 0
	for _, m := range templatePlace.FindAllStringSubmatchIndex(text, -1) {
		i, ok := q.names[text[m[2]:m[3]]]
		if !ok {
			continue
		}
		f := q.Files[i]
		at, end = f.Shown+":"+text[m[4]:m[5]], m[1]
		if m[6] >= 0 {
			at += ":" + strconv.Itoa(column(f, text[m[4]:m[5]], text[m[6]+1:m[7]]))
		}
	}
	what := strings.TrimLeft(text[end:], "): \n")
	if i := strings.Index(what, "at <"); i >= 0 {
		what = what[i:]
	}
	if at == "" {
		at = "chart " + q.Shown
	}
	return fmt.Errorf("%s: %s: correct the template, or give it the values that it needs",
		at, output.Excerpt(output.Line(strings.Join(strings.Fields(what), " ")), 400))
}
