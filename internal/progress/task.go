package progress

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/slipway-dev/slipway/internal/output"
)

// Unit is what a task counts.
type Unit int

// The units.
const (
	Items Unit = iota
	Bytes
)

// Task is a piece of work in progress. End it with Done or Fail. A nil *Task shows nothing.
type Task struct {
	p     *Printer
	name  string
	unit  Unit
	start time.Time
	total atomic.Int64
	now   atomic.Int64
	note  atomic.Value // string: see Note
	bar   *mpb.Bar
	quit  chan struct{}
	done  func() // see Doing
	once  sync.Once
}

// Start begins a task of total items or bytes; a total of 0 is not known yet.
func (p *Printer) Start(name string, unit Unit, total int64) *Task {
	if p == nil {
		return nil
	}
	t := &Task{p: p, name: name, unit: unit, start: time.Now(), quit: make(chan struct{}), done: Doing(name)}
	t.total.Store(total)
	t.note.Store("")
	p.mu.Lock()
	p.tasks[t] = true
	if p.bars != nil {
		// An error means that the display has ended: the task is then shown as in a log.
		t.bar, _ = p.bars.Add(total, p.bars.bar(),
			mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(output.Line(name), decor.WCSyncSpaceR)),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return output.Line(t.state()) })))
	}
	p.mu.Unlock()
	if t.bar == nil {
		p.line(name + " …")
		go t.report()
	}
	return t
}

// Add counts n more items or bytes. A total that turns out to be too small grows.
func (t *Task) Add(n int64) {
	if t == nil {
		return
	}
	now := t.now.Add(n)
	t.grow(now)
	if t.bar != nil {
		t.bar.SetCurrent(now)
	}
}

// grow raises a known total to at least n.
func (t *Task) grow(n int64) {
	for {
		total := t.total.Load()
		if total == 0 || total >= n {
			return
		}
		if t.total.CompareAndSwap(total, n) {
			if t.bar != nil {
				t.bar.SetTotal(n, false)
			}
			return
		}
	}
}

// Write counts len(p) bytes, so that a task can be part of an io.MultiWriter or io.TeeReader.
func (t *Task) Write(p []byte) (int, error) {
	t.Add(int64(len(p)))
	return len(p), nil
}

// Total sets how many items or bytes there are in all, once that is known: at least those that
// were counted.
func (t *Task) Total(n int64) {
	if t == nil {
		return
	}
	t.total.Store(n)
	if t.bar != nil {
		t.bar.SetTotal(n, false)
	}
	if n > 0 {
		t.grow(t.now.Load())
	}
}

// Note shows what the task works on right now: a package, a file, an image.
func (t *Task) Note(s string) {
	if t != nil {
		t.note.Store(s)
	}
}

// Done ends the task and prints its line: name, result and how long it took.
func (t *Task) Done(format string, args ...any) { t.end("✓", fmt.Sprintf(format, args...)) }

// Fail marks the task as failed. The caller prints the error.
func (t *Task) Fail() { t.end(failed, "stopped") }

// Found ends the task, whose result is that something is wrong.
func (t *Task) Found(format string, args ...any) { t.end(failed, fmt.Sprintf(format, args...)) }

// failed marks a task that has not ended as it should.
const failed = "✗"

func (t *Task) end(mark, result string) {
	if t == nil {
		return
	}
	t.once.Do(func() {
		close(t.quit)
		t.done()
		t.p.mu.Lock()
		delete(t.p.tasks, t)
		record := t.p.record
		t.p.mu.Unlock()
		record.add(t.name, t.start, false, mark == failed)
		if t.bar != nil {
			t.bar.Abort(true)
		}
		if result != "" {
			result = ": " + result
		}
		t.p.line(fmt.Sprintf("%s %s%s (%s)", mark, t.name, result, Duration(time.Since(t.start))))
	})
}

// report prints the state of a long task to a log.
func (t *Task) report() {
	tick := time.NewTicker(t.p.every)
	defer tick.Stop()
	for {
		select {
		case <-t.quit:
			return
		case <-tick.C:
			t.p.line(fmt.Sprintf("  %s: %s", t.name, t.state()))
		}
	}
}

// state returns how far the task is, how fast, and how long the rest will take.
func (t *Task) state() string {
	now, total, spent := t.now.Load(), t.total.Load(), time.Since(t.start)
	s := t.count(now)
	if total > 0 {
		s += " of " + t.count(total)
	}
	if t.unit == Bytes && spent > time.Second {
		s += fmt.Sprintf(", %s/s", Size(int64(float64(now)/spent.Seconds())))
	}
	if total > now && now > 0 && spent > 2*time.Second {
		s += fmt.Sprintf(", %s left", Duration(time.Duration(float64(spent)*float64(total-now)/float64(now))))
	}
	if note, _ := t.note.Load().(string); note != "" {
		s += ", " + note
	}
	return s
}

func (t *Task) count(n int64) string {
	if t.unit == Bytes {
		return Size(n)
	}
	return fmt.Sprint(n)
}
