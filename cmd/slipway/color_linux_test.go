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

func TestColorOnTerminal(t *testing.T) {
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pty.Close()
	n, err := unix.IoctlGetInt(int(pty.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(pty.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
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
