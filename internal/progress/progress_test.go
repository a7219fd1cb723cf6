package progress

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		p := New(&log)
		p.Printf("cutting %s", "demo")
		task := p.Start("compiling demo", Items, 0)
		task.Total(40)
		task.Add(10)
		task.Note("net/http")
		time.Sleep(15*time.Second + 1) // of the bubble's clock
		synctest.Wait()
		task.Add(30)
		task.Done("%d packages", 40)
		task.Done("twice")
		copied := p.Start("pushing", Bytes, 4000)
		if _, err := io.Copy(copied, strings.NewReader(strings.Repeat("x", 1000))); err != nil {
			t.Fatal(err)
		}
		time.Sleep(15 * time.Second)
		synctest.Wait()
		copied.Fail()
		p.Close()
		p.Close()
		want := `cutting demo
compiling demo …
  compiling demo: 10 of 40, 45s left, net/http
✓ compiling demo: 40 packages (15s)
pushing …
  pushing: 1.0 kB of 4.0 kB, 66 B/s, 45s left
✗ pushing: stopped (15s)
`
		if log.String() != want {
			t.Errorf("log:\n%s\nwant:\n%s", log.String(), want)
		}
	})
}

// TestTotal: what is counted is never more than there is, also if the total was guessed too low
// before or after it.
func TestTotal(t *testing.T) {
	for _, first := range []bool{false, true} {
		task := New(io.Discard).Start("compiling", Items, 0)
		if first {
			task.Total(573)
		}
		task.Add(584)
		if !first {
			task.Total(573)
		}
		if got := task.state(); got != "584 of 584" {
			t.Errorf("the state is %s", got)
		}
		task.Done("")
	}
}

// A task that an error left running is closed with the printer, and its reporter ends: a
// goroutine that is left over fails the bubble.
func TestCloseEndsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		p := New(&log)
		p.Start("one", Items, 1)
		time.Sleep(time.Second)
		p.Start("two", Items, 1)
		p.Close()
		p.Printf("after")
		want := "one …\ntwo …\n✗ one: stopped (1.0s)\n✗ two: stopped (0.0s)\nafter\n"
		if log.String() != want {
			t.Errorf("log:\n%s\nwant:\n%s", log.String(), want)
		}
	})
}

func TestQuiet(t *testing.T) {
	var p *Printer
	p.Printf("nothing")
	task := p.Start("nothing", Bytes, 1)
	task.Add(1)
	task.Total(2)
	task.Note("nothing")
	if n, err := task.Write([]byte("abc")); n != 3 || err != nil {
		t.Errorf("Write = %d, %v; want 3, nil", n, err)
	}
	task.Done("")
	task.Fail()
	p.Close()
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestBrokenOutputIsNoError(t *testing.T) {
	p := New(brokenWriter{})
	p.Start("a", Items, 1).Done("")
	p.Close()
}

// What others have named cannot add a line, or reach the terminal.
func TestHostileNames(t *testing.T) {
	var log strings.Builder
	p := New(&log)
	p.Printf("leaving out %s", "a\n✓ signed\x1b[2J")
	p.Start("packing\x1b]0;x\a", Items, 1).Done("%s", "b\r✓")
	p.Close()
	want := `leaving out a\n✓ signed\x1b[2J
packing\x1b]0;x\x07 …
✓ packing\x1b]0;x\x07: b\r✓ (0.0s)
`
	if log.String() != want {
		t.Errorf("log:\n%s\nwant:\n%s", log.String(), want)
	}
}

// TestRecording records tasks and stages, also without a display, from several goroutines.
func TestRecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, record := Recording(nil)
		next := record.Stages()
		next("one")
		time.Sleep(time.Second)
		next("two")
		task := p.Start("packing", Bytes, 0)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { p.Start("pushing", Items, 1).Fail() })
		}
		all.Wait()
		time.Sleep(2 * time.Second)
		task.Done("")
		next("")
		next("")
		var got []string
		for _, s := range record.Steps() {
			got = append(got, fmt.Sprintf("%s %g-%g %t %t", s.Name, s.Begin, s.End, s.Stage, s.Failed))
		}
		slices.Sort(got)
		want := []string{
			"one 0-1 true false", "packing 1-3 false false", "pushing 1-1 false true",
			"pushing 1-1 false true", "pushing 1-1 false true", "two 1-3 true false",
		}
		if !slices.Equal(got, want) {
			t.Errorf("the steps are %q, want %q", got, want)
		}
		p.Close()
	})
}
