// Package progress shows a person or a CI log what a long run is doing.
//
// On a terminal, tasks are moving bars (github.com/vbauerster/mpb). In a log, a task prints a
// line when it starts, one now and then, and one when it ends, so that the log of a ten-minute
// build is neither silent nor long. A nil *Printer prints nothing: that is -q. Everything goes to
// one writer, usually standard error. Results go to standard output, without this package.
package progress

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/internal/output"
)

// Printer shows tasks and lines. Several goroutines may call its methods, which also work on nil.
type Printer struct {
	mu     sync.Mutex
	w      *output.Writer
	bars   *display       // nil if the output is not a terminal, and after Close
	tasks  map[*Task]bool // the running ones
	record *Record        // nil: none
	// every is how often a running task reports itself in a log.
	every time.Duration
}

// New returns a printer for w, which draws bars if w is a terminal that can move its cursor,
// unless TERM=dumb or CI is set; otherwise it prints lines.
func New(w io.Writer) *Printer {
	p := &Printer{w: output.New(w), tasks: map[*Task]bool{}, every: 15 * time.Second}
	if f := p.w.Terminal(); f != nil && os.Getenv("CI") == "" {
		// Bars write sequences that no Writer passes on, directly to the terminal: all their text
		// goes through output.Line.
		p.bars = newDisplay(f)
	}
	return p
}

// Printf prints one line; a final newline is added.
func (p *Printer) Printf(format string, args ...any) {
	if p == nil {
		return
	}
	p.line(fmt.Sprintf(format, args...))
}

// line prints s on one line.
func (p *Printer) line(s string) {
	s = output.Line(s) + "\n"
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bars != nil {
		if _, err := p.bars.Write([]byte(s)); err == nil {
			return
		}
	}
	io.WriteString(p.w, s) //nolint:errcheck // the work does not depend on messages
}

// Close ends the display and reports running tasks as stopped. Later lines appear as in a log, so
// Close may be called before the result is printed and again by a defer.
func (p *Printer) Close() {
	if p == nil {
		return
	}
	for _, t := range p.running() {
		t.Fail()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bars != nil {
		p.bars.close()
		p.bars = nil
	}
}

// running lists the tasks that have not ended, oldest first.
func (p *Printer) running() []*Task {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(maps.Keys(p.tasks), func(a, b *Task) int { return a.start.Compare(b.start) })
}
