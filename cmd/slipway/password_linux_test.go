package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPasswordPrompt types a password on a terminal: the question is seen, what is typed is not,
// and Ctrl-C ends the command at once and leaves a terminal that shows what is typed.
func TestPasswordPrompt(t *testing.T) {
	const once, again = "password of the new key: ", "once more: "
	for _, test := range []struct {
		name  string
		types []string // after each question
		code  int
	}{
		{"typed", []string{"correct horse\n", "correct horse\n"}, 0},
		{"interrupted", []string{"\x03"}, 130},
		{"interrupted at the second question", []string{"correct horse\n", "\x03"}, 130},
	} {
		t.Run(test.name, func(t *testing.T) {
			person, tty := terminal(t)
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), slipway(t), "keygen", filepath.Join(dir, "key"))
			cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			seen := ""
			for n, text := range test.types {
				seen += await(t, person, []string{once, again}[n])
				for tick := time.NewTicker(time.Millisecond); echoes(t, tty); <-tick.C {
				}
				if _, err := person.WriteString(text); err != nil {
					t.Fatal(err)
				}
			}
			began := time.Now()
			cmd.Wait() //nolint:errcheck // its exit code is compared
			if code := cmd.ProcessState.ExitCode(); code != test.code || time.Since(began) > grace {
				t.Errorf("exit code %d after %s, want %d at once", code, time.Since(began), test.code)
			}
			if !echoes(t, tty) {
				t.Error("the terminal shows nothing any more")
			}
			if strings.Contains(seen, "horse") {
				t.Errorf("the password is seen: %q", seen)
			}
			_, err := os.Stat(filepath.Join(dir, "key.key"))
			if (err == nil) != (test.code == 0) {
				t.Errorf("the key: %v", err)
			}
		})
	}
}

// await reads what a person sees up to a text.
func await(t *testing.T, person *os.File, text string) (seen string) {
	t.Helper()
	for b := make([]byte, 1); !strings.HasSuffix(seen, text); seen += string(b) {
		if _, err := person.Read(b); err != nil {
			t.Fatalf("%v after %q, want %q", err, seen, text)
		}
	}
	return seen
}

// echoes reports whether a terminal shows what is typed.
func echoes(t *testing.T, tty *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}
