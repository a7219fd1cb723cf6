package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
)

// used is how old the time of use of a file may become before it is set anew.
const used = time.Hour

// local is the cache on this disk: for each action a file with the name of its object, and for
// each object a file. As in the go command's own cache, files may vanish at any time.
type local struct {
	dir string

	mu    sync.Mutex
	sound map[id]bool // objects that this process has written, or compared with their digest
}

// entry is what the cache has for an action.
type entry struct {
	output id
	size   int64
	time   time.Time // when it was compiled
}

// openLocal makes the directory of a cache.
func openLocal(dir string) (*local, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = disk.MkdirAll(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("making the build cache: %w", err)
	}
	return &local{dir: dir, sound: map[id]bool{}}, nil
}

// create begins a file. Its directory, one of 256, is made with its first file.
func (l *local) create(path string) (*disk.File, error) {
	f, err := disk.Create(filepath.Dir(path))
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return disk.Create(filepath.Dir(path))
}

func (l *local) path(i id, suffix string) string {
	name := hex.EncodeToString(i[:])
	return filepath.Join(l.dir, name[:2], name+suffix)
}

func (l *local) action(i id) string { return l.path(i, "-a") }
func (l *local) object(i id) string { return l.path(i, "-d") }

// get returns what the disk has for an action.
func (l *local) get(action id) (entry, bool) {
	path := l.action(action)
	text, err := regular.Read(path)
	if err != nil {
		return entry{}, false
	}
	var e entry
	var name string
	var nanoseconds int64
	if n, err := fmt.Sscanf(string(text), "%64s %d %d\n", &name, &e.size, &nanoseconds); n != 3 || err != nil {
		return entry{}, false
	}
	sum, err := hex.DecodeString(name)
	if err != nil || len(sum) != len(id{}) {
		return entry{}, false
	}
	e.output, e.time = id(sum), time.Unix(0, nanoseconds)
	if !l.has(e) {
		return entry{}, false
	}
	touch(path)
	return e, true
}

// has reports whether the disk has an object, and notes its use. What a process has not written
// itself it compares with its digest once: files are not synced, and disks fail.
func (l *local) has(e entry) bool {
	path := l.object(e.output)
	fi, err := os.Stat(path)
	if err != nil || fi.Size() != e.size || !l.isSound(e.output) {
		return false
	}
	touch(path)
	return true
}

func (l *local) isSound(i id) bool {
	l.mu.Lock()
	sound := l.sound[i]
	l.mu.Unlock()
	if sound {
		return true
	}
	f, err := regular.Open(l.object(i))
	if err != nil {
		return false
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil || !bytes.Equal(sum.Sum(nil), i[:]) {
		return false
	}
	l.note(i)
	return true
}

func (l *local) note(i id) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sound[i] = true
}

// within reports whether a time is less than d ago. One that is still to come is not: a clock was
// ahead.
func within(t time.Time, d time.Duration) bool {
	ago := time.Since(t)
	return ago >= 0 && ago < d
}

// touch notes that a file is used, unless that was noted lately.
func touch(path string) {
	if fi, err := os.Stat(path); err == nil && !within(fi.ModTime(), used) {
		now := time.Now()
		os.Chtimes(path, now, now) //nolint:errcheck // it is used, not needed
	}
}

// know notes the object of an action.
func (l *local) know(action id, e entry) error {
	path := l.action(action)
	f, err := l.create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := fmt.Fprintf(f, "%x %d %d\n", e.output, e.size, e.time.UnixNano()); err != nil {
		return err
	}
	return f.Place(path, disk.ModeFile)
}

// errOther is the error of an object that does not have its name.
var errOther = errors.New("its bytes do not have the digest that names it")

// keep writes an object, if its bytes have its name.
func (l *local) keep(e entry, r io.Reader) error {
	path := l.object(e.output)
	f, err := l.create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), r)
	if err != nil {
		return err
	}
	if n != e.size || !bytes.Equal(sum.Sum(nil), e.output[:]) {
		return errOther
	}
	if err := f.Place(path, disk.ModeFile); err != nil {
		return err
	}
	l.note(e.output)
	return nil
}
