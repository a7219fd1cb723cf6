package engine

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/render/renderer"
)

// beginFunc is the function that each template calls first, with the index of its file, so that a
// message can name the template that exceeds a bound. The function makes no text.
const beginFunc = "slipwayBegins"

// beginCall returns the call of beginFunc. All have one length.
func beginCall(index int) []byte { return fmt.Appendf(nil, "{{%s %9d}}", beginFunc, index) }

func (q request) begin(index int) string {
	if index >= 0 && index < len(q.Files) {
		renderer.At(q.Files[index].Shown)
	}
	return ""
}

// column returns the column of a place in a template without the call.
func column(f chart.File, line, column string) int {
	n, _ := strconv.Atoi(column) // matched as a number
	if line == "1" && !strings.HasPrefix(path.Base(f.Path), "_") {
		n -= len(beginCall(0))
	}
	return max(n, 0)
}
