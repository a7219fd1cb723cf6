package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipway-dev/slipway/internal/output"
)

// terminal opens a pseudo-terminal: what a person sees and types, and what a program has.
func terminal(t *testing.T) (person, tty *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close() })
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return person, tty
}

func TestColorOnTerminal(t *testing.T) {
	pty, tty := terminal(t)
	lines := bufio.NewScanner(pty)
	for _, test := range []struct{ term, noColor, want string }{
		{"xterm", "", "\x1b[31merror:\x1b[0m no"},
		{"xterm", "1", "error: no"},
		{"dumb", "", "error: no"},
	} {
		t.Setenv("TERM", test.term)
		t.Setenv("NO_COLOR", test.noColor)
		explain(output.New(tty), errors.New("no"))
		if lines.Scan(); lines.Text() != test.want {
			t.Errorf("TERM=%s NO_COLOR=%s: %q, want %q", test.term, test.noColor, lines.Text(), test.want)
		}
	}
}
