package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal returns a pseudo-terminal and a function that closes it and returns what was written
// to it.
func terminal(t *testing.T) (tty *os.File, written func() string) {
	t.Helper()
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pty.Close() })
	n, err := unix.IoctlGetInt(int(pty.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(pty.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(pty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100}); err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := make(chan string)
	go func() {
		b, _ := io.ReadAll(pty) // ends with EIO once the other side is closed
		all <- string(b)
	}()
	return tty, func() string {
		tty.Close()
		return <-all
	}
}

func TestTerminal(t *testing.T) {
	t.Setenv("CI", "")
	t.Setenv("TERM", "xterm")
	tty, written := terminal(t)
	p := New(tty)
	if p.bars == nil {
		t.Fatal("no bars on a terminal")
	}
	p.Printf("cutting demo")
	task := p.Start("compiling", Items, 0)
	task.Total(2)
	task.Add(1)
	task.Note("net/http")
	task.Add(1)
	task.Done("2 packages")
	hostile := p.Start("file \x1b]0;owned\a", Items, 2)
	hostile.Note("\x1b[8mhidden\nline")
	hostile.Add(1)
	hostile.Done("\x1b]2;title")
	p.Start("pushing", Bytes, 1000).Add(500) // left running, as by an error
	p.Close()
	p.Printf("after")
	p.Start("late", Items, 1).Done("")
	p.Close()
	out := written()
	for _, want := range []string{
		"cutting demo", "✓ compiling: 2 packages (", "✗ pushing: stopped (",
		"after", "✓ late (",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the terminal lacks %q:\n%q", want, out)
		}
	}
	for _, bad := range []string{"\x1b]", "\x1b[8m", "\a"} {
		if strings.Contains(out, bad) {
			t.Errorf("the terminal gets %q of a name, a note or a result:\n%q", bad, out)
		}
	}
}

// TestNarrowed halves the width of a terminal that has bars: what they took on further lines is
// erased, and they fit again.
func TestNarrowed(t *testing.T) {
	t.Setenv("CI", "")
	t.Setenv("TERM", "xterm")
	tty, written := terminal(t)
	p := New(tty)
	for _, name := range []string{"compiling a", "compiling b"} {
		task := p.Start(name, Items, 2)
		task.Note(strings.Repeat("long/", 20))
		task.Add(1)
	}
	drawn := func(width int) bool {
		p.bars.mu.Lock()
		defer p.bars.mu.Unlock()
		return p.bars.width == width && len(p.bars.drawn) == 2
	}
	for !drawn(100) {
		time.Sleep(time.Millisecond)
	}
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 40}); err != nil {
		t.Fatal(err)
	}
	for !drawn(40) {
		time.Sleep(time.Millisecond)
	}
	p.Close()
	out := written()
	// Each line of 100 columns takes three of 40.
	before, after, found := strings.Cut(out, "\x1b[4A\x1b[J")
	if !found || strings.Contains(after, "\x1b[4A") {
		t.Fatalf("four lines more are not erased once:\n%q", out)
	}
	if !strings.Contains(before, "long/long/") || !strings.Contains(after, "compiling a") {
		t.Errorf("before %q, after %q", before, after)
	}
}

func TestDumbTerminalGetsLines(t *testing.T) {
	for name, value := range map[string]string{"TERM": "dumb", "CI": "true"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CI", "")
			t.Setenv("TERM", "xterm")
			t.Setenv(name, value)
			tty, written := terminal(t)
			p := New(tty)
			p.Start("compiling", Items, 1).Done("")
			p.Close()
			if out := written(); strings.Contains(out, "\x1b") || !strings.Contains(out, "compiling …") {
				t.Errorf("not plain lines: %q", out)
			}
		})
	}
}
