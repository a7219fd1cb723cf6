// Package regular opens the files that a directory tree or slipway.yaml names. Only regular files
// are allowed: a named pipe has no end and a device may have effects, so that a command that
// opened one would wait for ever.
//
// The type of a file is checked before it is opened, since opening some devices has effects, and
// again after it is opened, since the file may have been exchanged in between. Opening does not
// block on a pipe without a writer.
//
// A path that a user gives by a flag may be a pipe, such as <(…) of a shell: [Given] reads it,
// once and with a bound.
package regular

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// NotRegularError is the error for a file that is neither regular nor a directory.
type NotRegularError struct{ Mode fs.FileMode }

func (e *NotRegularError) Error() string {
	return "it is " + Kind(e.Mode) + ": replace it by a regular file, or remove it"
}

// Kind returns what a file of a mode is, for messages.
func Kind(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "a regular file"
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "not a regular file"
}

// Check returns the error of [Open] for a file of a mode, and nil for a regular one.
func Check(path string, m fs.FileMode) error {
	switch {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	}
	return &fs.PathError{Op: "open", Path: path, Err: &NotRegularError{m}}
}

// Open opens a regular file for reading, and follows symbolic links, as [os.Open] does.
func Open(path string) (*os.File, error) {
	return open(path, false, os.Stat, func(name string) (*os.File, error) { return os.OpenFile(name, flags, 0) })
}

// open opens a file by the functions of a directory or of the system.
func open(path string, dir bool, stat func(string) (fs.FileInfo, error),
	do func(string) (*os.File, error),
) (*os.File, error) {
	check := func(fi fs.FileInfo, err error) error {
		if err != nil || dir && fi.IsDir() {
			return err
		}
		return Check(path, fi.Mode())
	}
	if err := check(stat(path)); err != nil {
		return nil, asOpen(err)
	}
	f, err := do(path)
	if err != nil {
		return nil, err
	}
	if err := check(f.Stat()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// asOpen names the operation that was asked for.
func asOpen(err error) error {
	if p, ok := err.(*fs.PathError); ok && p.Op != "read" { //nolint:errorlint // as package os returns it
		return &fs.PathError{Op: "open", Path: p.Path, Err: p.Err}
	}
	return err
}

// maxText bounds a file that is read whole, in bytes: far more than any text has.
const maxText = 64 << 20

// Read returns a regular file of at most 64 MiB.
func Read(path string) ([]byte, error) { return ReadMost(path, maxText) }

// ReadMost returns a regular file of at most limit bytes.
func ReadMost(path string, limit int64) ([]byte, error) { return read(path, limit, Open) }

// Given returns the content of a path that a user gave by a flag, at most limit bytes. The path
// may be a pipe, which is opened once and waits for its writer.
func Given(path string, limit int64) ([]byte, error) { return read(path, limit, OpenGiven) }

// OpenGiven opens a path that a user gave by a flag: a regular file, a pipe or standard input. No
// other device is opened.
func OpenGiven(path string) (*os.File, error) {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, asOpen(err)
	case fi.Mode()&fs.ModeNamedPipe != 0, fi.Mode()&fs.ModeCharDevice != 0 && terminal(fi):
		return os.Open(path)
	}
	return Open(path)
}

// terminal reports whether a device is that of standard input, as /dev/stdin is.
func terminal(fi fs.FileInfo) bool {
	in, err := os.Stdin.Stat()
	return err == nil && os.SameFile(fi, in)
}

// read reads a file whole.
func read(path string, limit int64, open func(string) (*os.File, error)) ([]byte, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = &fs.PathError{
			Op: "read", Path: path,
			Err: fmt.Errorf("it has more than %s: is it the right file?", size(limit)),
		}
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// size is a bound as people read it.
func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
