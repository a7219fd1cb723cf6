package wine

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Run runs a program of drive C: and returns all that it prints, on whichever stream.
func (d Drive) Run(t testing.TB, env []string, program string, args ...string) (string, error) {
	t.Helper()
	out, messages, err := d.RunWith(t, nil, env, program, args...)
	return out + messages, err
}

// RunWith runs a program with an input and separates what it prints from its errors, among which
// wine's services report themselves, too.
func (d Drive) RunWith(t testing.TB, in io.Reader, env []string, program string,
	args ...string,
) (out, messages string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// Files, not pipes, which wine's services would keep open.
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
	cmd := d.command(ctx, env, "wine", append([]string{program}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, stdout, stderr
	if strings.HasPrefix(program, `C:\`) {
		cmd.Dir = d.Dir // a path without a drive is one of the current drive
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
	// Debian's wrapper complains each time that wine for 32 bits is missing.
	if _, own, ok := strings.Cut(printed[1], `apt-get install wine32:i386"`+"\n"); ok {
		printed[1] = own
	}
	return printed[0], printed[1], err
}

func (d Drive) command(ctx context.Context, env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "WINEPREFIX="+d.prefix, "WINEARCH=win64",
		"WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=", "DISPLAY=")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}
