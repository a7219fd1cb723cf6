package program

import (
	"bytes"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/progress"
)

// verbose reads what go build -v prints: the import path of each package when it is compiled, and
// messages.
type verbose struct {
	task     *progress.Task
	mu       sync.Mutex
	line     []byte
	n        int64
	messages []string
}

var importPath = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._~/+-]*$`)

func (v *verbose) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.line = append(v.line, p...)
	for {
		line, rest, ok := bytes.Cut(v.line, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		v.line = rest
		switch s := string(line); {
		case importPath.MatchString(s):
			v.n++
			v.task.Note(s)
			v.task.Add(1)
		case strings.HasPrefix(s, "go: downloading "):
			v.task.Note(strings.TrimPrefix(s, "go: "))
		default:
			v.messages = append(v.messages, s)
		}
	}
}

func (v *verbose) packages() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n
}

func (v *verbose) rest() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Join(append(v.messages, string(v.line)), "\n")
}
