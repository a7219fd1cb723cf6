package windows

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/test/need"
)

// patience is how long wine may take for what usually takes a second. A machine may be slow and busy: whoever waits in vain learns it later,
// nothing else.
const patience = 10 * time.Minute

// wine runs Windows programs on a drive of their own.
type wine struct {
	prefix, drive string
}

// newWine returns a drive C: with what a nanoserver has and wine 8 lacks. All tests share one: wine knows its server by the prefix's inode,
// and a prefix that was removed lends its inode to the next, while the old server may still be going down.
func newWine(t *testing.T) wine {
	t.Helper()
	need.Programs(t, "wine", "wine")
	need.Programs(t, "mingw", "x86_64-w64-mingw32-gcc")
	w, err := drive()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

var drive = sync.OnceValues(func() (wine, error) {
	dir, err := os.MkdirTemp("", "slipway-wine-*")
	if err != nil {
		return wine{}, err
	}
	made = dir
	w := wine{prefix: filepath.Join(dir, "prefix")}
	w.drive = filepath.Join(w.prefix, "drive_c")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	// Its output is left alone: wine's services would hold a pipe open.
	if err := w.command(ctx, nil, "wine", "wineboot", "--init").Run(); err != nil {
		return wine{}, fmt.Errorf("making a drive for wine: %w", err)
	}
	// Without the drive of the machine's own files wine takes /workspace for what it is on Windows, a path of the current drive.
	if err := os.Remove(filepath.Join(w.prefix, "dosdevices", "z:")); err != nil {
		return wine{}, err
	}
	dll := filepath.Join(w.drive, "windows", "system32", "bcryptprimitives.dll")
	gcc := exec.CommandContext(ctx, "x86_64-w64-mingw32-gcc", "-shared", "-s", "-o", dll, filepath.Join("testdata", "bcryptprimitives.c"), "-ladvapi32")
	if out, err := gcc.CombinedOutput(); err != nil {
		return wine{}, fmt.Errorf("compiling bcryptprimitives.dll: %w\n%s", err, out)
	}
	return w, nil
})

// made is the directory of the drive, where there is one.
var made string

// TestMain ends wine's services and removes the drive.
func TestMain(m *testing.M) {
	code := m.Run()
	if made != "" {
		w := wine{prefix: filepath.Join(made, "prefix")}
		for _, flag := range []string{"-k", "-w"} {
			w.command(context.Background(), nil, "wineserver", flag).Run() //nolint:errcheck // it fails where none runs
		}
		if err := os.RemoveAll(made); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

func (w wine) command(ctx context.Context, env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "WINEPREFIX="+w.prefix, "WINEARCH=win64", "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=", "DISPLAY=")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// run runs a program of drive C: and returns all that it prints, on whichever stream.
func (w wine) run(t *testing.T, env []string, program string, args ...string) (string, error) {
	t.Helper()
	out, said, err := w.with(t, nil, env, program, args...)
	return out + said, err
}

// with runs a program with an input and tells what it prints from its errors, among which wine's services report themselves, too.
func (w wine) with(t *testing.T, in io.Reader, env []string, program string, args ...string) (out, said string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// Files and no pipes, which wine's services would hold open.
	dir := t.TempDir()
	stdout, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	stderr, err := os.Create(filepath.Join(dir, "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	cmd := w.command(ctx, env, "wine", append([]string{program}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, stdout, stderr
	if strings.HasPrefix(program, `C:\`) {
		cmd.Dir = w.drive // a path without a drive is one of the current drive
	}
	err = cmd.Run()
	printed := [2]string{}
	for n, f := range []*os.File{stdout, stderr} {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		printed[n] = string(b)
	}
	// Debian's wrapper says each time that there is no wine for 32 bits.
	if _, own, ok := strings.Cut(printed[1], `apt-get install wine32:i386"`+"\n"); ok {
		printed[1] = own
	}
	return printed[0], printed[1], err
}
