package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file under a temporary name. Write to it, then call Commit or Abort. Abort does
// nothing after Commit, so it can be deferred.
type File struct {
	*os.File
	done          bool
	size, started int64 // written, and of that what the disk was given
}

// early is after how many bytes the disk begins to write a file, so that Commit need not wait for
// all of it.
const early = 16 << 20

// Write appends to the file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.size += int64(n)
	if ready := f.size - f.started; ready >= early {
		writeBack(f.File, f.started, ready)
		f.started = f.size
	}
	return n, err
}

// Create makes a file with a temporary name in a directory.
func Create(dir string) (*File, error) {
	f, err := os.CreateTemp(dir, temporary)
	if err != nil {
		return nil, err
	}
	return &File{File: f}, nil
}

// Commit syncs the file to disk and gives it its name and mode, in place of a file of that name. A
// device, a pipe or a directory of that name stays, and is an error.
func (f *File) Commit(path string, mode fs.FileMode) error {
	return f.rename(path, errors.Join(f.Chmod(mode), f.Sync()))
}

// Place is [File.Commit] without waiting for the disk: for files whose reader can do without them.
func (f *File) Place(path string, mode fs.FileMode) error {
	return f.rename(path, f.Chmod(mode))
}

// rename closes the file and gives it its name, unless there is an error.
func (f *File) rename(path string, err error) error {
	defer f.Abort()
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if fi, err := os.Lstat(path); err == nil && fi.Mode().Type()&^fs.ModeSymlink != 0 {
		return &fs.PathError{Op: "replace", Path: path, Err: errors.New("it is not a regular file")}
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	f.done = true
	return nil
}

// Abort removes a file that was not committed.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	f.Close()
	os.Remove(f.Name()) //nolint:errcheck // the next process that locks the directory removes it
}

// Write writes or replaces a small file.
func Write(path string, data []byte, mode fs.FileMode) error {
	f, err := Create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit(path, mode)
}

// WriteAlone is Write for a caller that does not have the lock of the directory: it takes the
// lock for that long, as [Lock] does.
func WriteAlone(ctx context.Context, path string, data []byte, mode fs.FileMode, say Say) error {
	d, err := Lock(ctx, filepath.Dir(path), say)
	if err != nil {
		return err
	}
	defer d.Unlock()
	return Write(path, data, mode)
}

// Append adds a line to a file, which is made if it is missing. Lines of other processes stay
// whole.
func Append(path string, line []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// Chmod gives a file that stays as it is the mode that it would have if it were written: a copy
// from elsewhere may have another one.
func Chmod(path string, mode fs.FileMode) error {
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() == mode {
		return err
	}
	return os.Chmod(path, mode)
}
