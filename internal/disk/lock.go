package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// lockName is the file to lock where directories cannot be locked: on Windows, and on some
// network file systems. The file exists only while the lock does.
const lockName = ".slipway.lock"

// IsLock reports whether a name is that of a locked directory's own file.
func IsLock(name string) bool { return name == lockName }

// Say prints a line, as Printf of a progress.Printer does.
type Say func(format string, args ...any)

// Dir is a directory that this process has locked.
type Dir struct {
	path   string
	lock   *flock.Flock
	byFile bool // the lock is on lockName
}

// Lock keeps other processes out of a directory until [Dir.Unlock]. While another process has the
// lock, Lock waits, and reports that once by say, unless that is nil. A process must not lock a
// directory twice. The lock is on the directory, whatever path names it, and ends with the process.
func Lock(ctx context.Context, dir string, say Say) (*Dir, error) {
	return acquire(ctx, dir, say, runtime.GOOS == "windows", func() error { return nil })
}

// MakeLocked is Lock for a directory that is made if it is missing.
func MakeLocked(ctx context.Context, dir string, say Say) (*Dir, error) {
	return acquire(ctx, dir, say, runtime.GOOS == "windows", func() error { return MkdirAll(dir) })
}

func acquire(ctx context.Context, dir string, say Say, byFile bool, prepare func() error) (*Dir, error) {
	name := dir // as the user has it
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for printed := false; ; {
		if err := prepare(); err != nil {
			return nil, err
		}
		d, err := try(dir, byFile)
		switch {
		case d != nil:
			d.sweep()
			return d, nil
		case err != nil && !byFile && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
			byFile = true // this file system has no locks for directories
			continue
		case err != nil:
			return nil, fmt.Errorf("locking %s: %w", name, err)
		}
		if !printed && say != nil {
			say("waiting for another slipway to leave %s …", name)
		}
		printed = true
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for another slipway to leave %s: %w", name, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// try locks the directory, or returns nil if another process has the lock or has just removed the
// directory.
func try(dir string, byFile bool) (*Dir, error) {
	d := &Dir{path: dir, byFile: byFile}
	if byFile {
		d.lock = flock.New(filepath.Join(dir, lockName), flock.SetFlag(os.O_CREATE|os.O_RDWR))
	} else {
		d.lock = flock.New(dir, flock.SetFlag(os.O_RDONLY))
	}
	if ok, err := d.lock.TryLock(); err != nil || !ok {
		return nil, err
	}
	held, err := d.lock.Stat()
	if err != nil {
		return nil, errors.Join(err, d.lock.Unlock())
	}
	if is, err := os.Stat(d.lock.Path()); err != nil || !os.SameFile(held, is) {
		// the locked directory was removed meanwhile, and perhaps recreated
		return nil, d.lock.Unlock()
	}
	return d, nil
}

// Unlock lets other processes in.
func (d *Dir) Unlock() {
	// Windows does not remove an open file; elsewhere, a file that is removed after it was
	// unlocked may be the lock of another process.
	if d.byFile && runtime.GOOS != "windows" {
		os.Remove(d.lock.Path()) //nolint:errcheck // a lock file may stay
	}
	d.lock.Unlock() //nolint:errcheck // closing the file ends the lock
	if d.byFile && runtime.GOOS == "windows" {
		os.Remove(d.lock.Path()) //nolint:errcheck // it fails if another process has the lock by now
	}
}

// Leave is [Dir.Unlock] for a directory that is removed if it is empty.
func (d *Dir) Leave() {
	if !d.byFile { // whoever waits for the lock sees that it is gone
		os.Remove(d.path) //nolint:errcheck // it stays if it has files
	}
	d.Unlock()
	if d.byFile {
		os.Remove(d.path) //nolint:errcheck // as above
	}
}

// Clear calls remove with a directory that it has locked, and then removes the directory if it is
// empty. A missing directory is not an error.
func Clear(ctx context.Context, dir string, say Say, remove func(*Dir) error) error {
	d, err := Lock(ctx, dir, say)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err = remove(d); err != nil {
		d.Unlock()
		return err
	}
	d.Leave()
	return nil
}

// ReadDir lists the directory as the function of that name does.
func (d *Dir) ReadDir() ([]fs.DirEntry, error) { return ReadDir(d.path) }

// ReadDir lists a directory without the files of this package.
func ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	var list []fs.DirEntry
	for _, e := range entries {
		if e.Name() == lockName || e.Name() == ignoreName && Ignored(dir) {
			continue
		}
		list = append(list, e)
	}
	return list, err
}
