package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
)

// The files that make a directory an image layout.
const (
	layoutName    = "oci-layout"
	indexName     = "index.json"
	layoutVersion = "1.0.0" // the only version of the specification
)

// parts are the directories of a store. No other program makes the second and the third.
var parts = []string{"blobs", "cache", "work"}

// Open opens the layout at dir, or makes it if it is missing. In a directory of slipway, it
// replaces a damaged oci-layout or index.json, as [Store.Mended] reports. Elsewhere that is an
// error, and so is another layout version.
func Open(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir}
	layout := s.checkLayout()
	_, index := s.checkIndex()
	fresh := missing(layout) && missing(index)
	if err := errors.Join(layout, index); err != nil && !isStore(dir) && !fresh {
		return nil, fmt.Errorf("opening store: %w: choose another directory, or delete this one", err)
	}
	if err := s.others(layout); err != nil {
		return nil, fmt.Errorf("opening store: %w: choose another directory", err)
	}
	if err := disk.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("opening store: %w", err)
	}
	switch {
	case missing(layout):
		err = s.begin()
	case layout != nil || index != nil:
		err = s.mend()
	default:
		err = s.makeDirs()
	}
	if err != nil {
		return nil, fmt.Errorf("opening store: %w", err)
	}
	return s, nil
}

// others returns an error if a directory that is not a store has other files where a store has
// its own, or is the image layout of another program: locking a store empties a directory, and
// removing it removes them all. layout is that of checkLayout.
func (s *Store) others(layout error) error {
	temp, err := os.Stat(s.Temp())
	if isStore(s.dir) || disk.Ignored(s.dir) || layout == nil && err == nil && temp.IsDir() {
		return nil
	}
	if layout == nil {
		return fmt.Errorf("%s is an image layout of another program", s.dir)
	}
	for _, name := range made {
		if strings.HasPrefix(name, "bin/") { // is put there before there is a store
			continue
		}
		err := filepath.WalkDir(filepath.Join(s.dir, name), func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && !disk.Temporary(e.Name()) { // of an Open that was killed
				err = fmt.Errorf("%s is there, and %s is not a store of slipway", path, s.dir)
			}
			return err
		})
		if err != nil && !missing(err) {
			if isStore(s.dir) || disk.Ignored(s.dir) { // since then, by another Open
				return nil
			}
			return err
		}
	}
	return nil
}

// begin makes the parts of a store: first those that show that it is ours, last the marker.
func (s *Store) begin() error {
	// for a moment: a store in use has the marker
	unlock, err := s.Lock(context.Background(), nil)
	if err != nil {
		return err
	}
	defer unlock()
	if s.checkLayout() == nil { // another process was faster
		return nil
	}
	if err := s.ignore(); err != nil {
		return err
	}
	return s.makeLayout()
}

// mend replaces damaged files of the layout. Another process that uses the store may be writing
// index.json, and may take long.
func (s *Store) mend() error {
	ctx, busy := context.WithCancel(context.Background())
	defer busy()
	unlock, err := s.Lock(ctx, func(string, ...any) { busy() })
	if ctx.Err() != nil {
		return fmt.Errorf("%s has a damaged oci-layout or index.json, and another slipway is using it: "+
			"run again when that has ended", s.dir)
	}
	if err != nil {
		return err
	}
	defer unlock()
	return s.makeLayout()
}

// makeLayout makes missing files of the layout, replaces damaged ones, and notes these.
func (s *Store) makeLayout() error {
	if err := s.makeDirs(); err != nil {
		return err
	}
	sound, index := s.checkIndex()
	layout := s.checkLayout()
	fresh := missing(index) && missing(layout)
	note := func(name string, err error) {
		if !fresh {
			s.mended = append(s.mended, fmt.Sprintf("made %s anew: %v", filepath.Join(s.dir, name), err))
		}
	}
	if index != nil {
		note(indexName, index)
		if err := s.writeIndex(sound); err != nil {
			return err
		}
	}
	if layout != nil {
		note(layoutName, layout)
		return s.write(layoutName, []byte(`{"imageLayoutVersion":"`+layoutVersion+`"}`))
	}
	return nil
}

// Existing opens the store at dir unchanged, for [Store.Verify].
func Existing(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if !isStore(dir) {
		return nil, fmt.Errorf("opening store: %s has no blobs, cache and work, "+
			"so it is not a store of slipway: name one with -store", dir)
	}
	return &Store{dir: dir}, nil
}

// Mended returns a line for each file that Open found damaged and replaced.
func (s *Store) Mended() []string { return s.mended }

// isStore reports whether a directory has all parts of a store.
func isStore(dir string) bool {
	return !slices.ContainsFunc(parts, func(name string) bool {
		fi, err := os.Stat(filepath.Join(dir, name))
		return err != nil || !fi.IsDir()
	})
}

// checkLayout returns an error if oci-layout is damaged.
func (s *Store) checkLayout() error {
	path := filepath.Join(s.dir, layoutName)
	b, err := regular.Read(path)
	if err != nil {
		return err
	}
	var v struct {
		ImageLayoutVersion string `json:"imageLayoutVersion"`
	}
	if json.Unmarshal(b, &v) != nil || v.ImageLayoutVersion != layoutVersion {
		return fmt.Errorf("%s does not have imageLayoutVersion %s", path, layoutVersion)
	}
	return nil
}

// checkIndex returns an error if index.json is damaged, and the entries of it that can stay:
// those whose blobs exist.
func (s *Store) checkIndex() (sound []v1.Descriptor, err error) {
	path := filepath.Join(s.dir, indexName)
	b, err := regular.Read(path)
	if err != nil {
		return nil, err
	}
	all, err := parseIndex(path, b)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		if size, err := s.Size(d.Digest); err == nil && size == d.Size {
			sound = append(sound, d)
		}
	}
	if n := len(all) - len(sound); n > 0 {
		return sound, fmt.Errorf("%s lists %d blobs that the store does not have", path, n)
	}
	return sound, nil
}

func (s *Store) makeDirs() error {
	for _, d := range []string{"blobs/sha256", "cache", "work", "temp"} {
		if err := disk.MkdirAll(filepath.Join(s.dir, d)); err != nil {
			return err
		}
	}
	return nil
}

// ignore keeps the store out of git, unless the directory has other files.
func (s *Store) ignore() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "bin" && !slices.Contains(made, e.Name()) {
			return nil
		}
	}
	return disk.Ignore(s.dir)
}
