// Package wine runs Windows programs out of finished images on Linux, on a drive C: that has what
// a nanoserver has and Debian's wine lacks.
package wine

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// patience is how long wine may take for what usually takes a second. A machine may be slow and
// busy: whoever waits in vain learns it later, nothing else.
const patience = 10 * time.Minute

// Drive is a drive C:.
type Drive struct {
	Dir    string // of its files
	prefix string
}

// New returns the drive. All tests of a binary share one: wine knows its server by the prefix's
// inode, and a prefix that was removed lends its inode to the next, while the old server may
// still be going down. The binary's TestMain has to call Close.
func New(t testing.TB) Drive {
	t.Helper()
	testprog.Need(t, "wine")
	testprog.Need(t, "mingw")
	d, err := drive()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// shim is the source of bcryptprimitives.dll, which Go's programs want since 1.22.
//
//go:embed shim/bcryptprimitives.c
var shim []byte

var drive = sync.OnceValues(func() (Drive, error) {
	dir, err := os.MkdirTemp("", "slipway-wine-*")
	if err != nil {
		return Drive{}, err
	}
	made = dir
	d := in(dir)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err = d.boot(ctx)
	if err != nil { // once in some hundred runs it ended with 53, the status of a kernel32.dll that is not found
		d.end()
		err = d.boot(ctx)
	}
	if err != nil {
		return Drive{}, fmt.Errorf("making a drive for wine: %w", err)
	}
	// Without the drive of the machine's own files wine takes /workspace for what it is on
	// Windows, a path of the current drive.
	if err := os.Remove(filepath.Join(d.prefix, "dosdevices", "z:")); err != nil {
		return Drive{}, err
	}
	source := filepath.Join(dir, "bcryptprimitives.c")
	if err := os.WriteFile(source, shim, 0o600); err != nil {
		return Drive{}, err
	}
	dll := filepath.Join(d.Dir, "windows", "system32", "bcryptprimitives.dll")
	gcc := exec.CommandContext(ctx, "x86_64-w64-mingw32-gcc", "-shared", "-s", "-o", dll, source, "-ladvapi32")
	if out, err := gcc.CombinedOutput(); err != nil {
		return Drive{}, fmt.Errorf("compiling bcryptprimitives.dll: %w\n%s", err, out)
	}
	return d, nil
})

// made is the directory of the drive, where there is one.
var made string

func in(dir string) Drive {
	prefix := filepath.Join(dir, "prefix")
	return Drive{Dir: filepath.Join(prefix, "drive_c"), prefix: prefix}
}

// Close ends wine's services and removes the drive, if there is one.
func Close() error {
	if made == "" {
		return nil
	}
	in(made).end()
	return os.RemoveAll(made)
}

// boot makes the prefix anew, and begins its server.
func (d Drive) boot(ctx context.Context) error {
	if err := errors.Join(os.RemoveAll(d.prefix), os.Mkdir(d.prefix, 0o700)); err != nil {
		return err
	}
	// A server ends three seconds after its last program, and a program that begins just then ends
	// with "recvmsg: Connection reset by peer". This one waits longer.
	if err := d.command(ctx, nil, "wineserver", "-p120").Run(); err != nil {
		return err
	}
	log := filepath.Join(filepath.Dir(d.prefix), "wineboot.log")
	f, err := os.Create(log)
	if err != nil {
		return err
	}
	defer f.Close()
	cmd := d.command(ctx, nil, "wine", "wineboot", "--init")
	cmd.Stdout, cmd.Stderr = f, f // wine's services would keep a pipe open
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(log)
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

// end ends the server of the drive's prefix, and all that it serves.
func (d Drive) end() {
	for _, flag := range []string{"-k", "-w"} {
		d.command(context.Background(), nil, "wineserver", flag).Run() //nolint:errcheck // it fails where none runs
	}
}
