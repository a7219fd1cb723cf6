package target

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// ticker shows the progress of the compilation: on a terminal in one line that changes,
// elsewhere by a line every five seconds. If nothing needs compiling, nothing is printed.
//
// internal/progress would be the slipway command's own form, but mage compiles the imports of this
// package before it can print anything, and progress needs 22 packages more, among them a library
// for bars on terminals.
type ticker struct {
	w        *os.File
	terminal bool
	every    time.Duration
	start    time.Time

	mu    sync.Mutex
	count int
	total int // -1 until it is known
	last  string
	shown bool
	timer *time.Timer
}

// newTicker starts a ticker, which is silent for half a second.
func newTicker(w *os.File, quiet bool) *ticker {
	t := &ticker{w: w, total: -1, start: time.Now(), every: 5 * time.Second}
	if quiet {
		return t
	}
	if fi, err := w.Stat(); err == nil && fi.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" {
		t.terminal, t.every = true, 200*time.Millisecond
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer = time.AfterFunc(500*time.Millisecond, t.tick) // tick reads t.timer
	return t
}

// expect sets the number of packages to compile.
func (t *ticker) expect(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total = n
	if n > 0 && t.timer != nil {
		t.show()
	}
}

// begun is how many packages there were so far.
func (t *ticker) begun() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}

// compiled counts a package whose compilation has begun.
func (t *ticker) compiled(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count, t.last = t.count+1, name
}

func (t *ticker) tick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil {
		return
	}
	if t.total != 0 {
		t.show()
	}
	t.timer.Reset(t.every)
}

func (t *ticker) show() {
	t.shown = true
	s := "compiling slipway: looking up its packages"
	switch {
	case t.total > 0 && t.count < t.total:
		s = fmt.Sprintf("compiling slipway: %d of %d packages", t.count, t.total)
		if t.last != "" {
			s += ", " + t.last
		}
	case t.total > 0:
		s = "compiling slipway: linking"
	case t.count > 0:
		s = fmt.Sprintf("compiling slipway: %d packages, %s", t.count, t.last)
	}
	t.print(s)
}

func (t *ticker) print(s string) {
	if t.terminal {
		fmt.Fprintf(t.w, "\r\x1b[K%.100s", s)
		return
	}
	fmt.Fprintln(t.w, s)
}

// stop ends the line, with a check mark if the compilation succeeded.
func (t *ticker) stop(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil {
		return
	}
	t.timer.Stop()
	t.timer = nil
	if !t.shown {
		return
	}
	mark := "✓"
	if err != nil {
		mark = "✗"
	}
	t.print(fmt.Sprintf("%s compiling slipway (%.1fs)", mark, time.Since(t.start).Seconds()))
	if t.terminal {
		fmt.Fprintln(t.w)
	}
}
