package render

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// frame is a line of ytt's trace: "a.yaml:2 | a: #@ data.values.x".
var frame = lazyregexp.New(`^(\S+):(\d+) \| (.*)$`)

// yttFault makes one line of an error of ytt, whose own begin with an empty one and go on with a
// trace. The line begins with the innermost place. origin has the path of each template as the
// user knows it.
func yttFault(err error, origin map[string]string) error {
	if !strings.Contains(err.Error(), "\n") {
		return err
	}
	var place, text string
	var messages []string
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		m := frame.FindStringSubmatch(line)
		switch message, ok := strings.CutPrefix(line, "- "); {
		case ok:
			messages = append(messages, message)
		case m != nil && place == "":
			place, text = m[1]+":"+m[2], strings.TrimSpace(m[3])
			if shown := origin[m[1]]; shown != "" {
				place = shown + ":" + m[2]
			}
		case m == nil && place == "" && line != "" && !strings.HasPrefix(line, "in "):
			messages = append(messages, line) // goes on
		}
	}
	if place == "" {
		return errors.New(strings.Join(messages, " "))
	}
	return fmt.Errorf("%s: %s: %s: correct the template, or the values that it is given", place,
		text, strings.Join(messages, " "))
}
