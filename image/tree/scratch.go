package tree

import (
	"fmt"
	"os"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/store"
)

// Scratch has Archives over a directory that is theirs alone: for images that come from anywhere
// and do not stay. It also keeps the contents of layers, so that each is read once.
type Scratch struct {
	*Archives

	dir string
}

// NewScratch makes a Scratch in the system's directory for temporary files. It has to be closed.
func NewScratch() (*Scratch, error) {
	dir, err := disk.Scratch("")
	if err != nil {
		return nil, fmt.Errorf("making a directory for layers: %w", err)
	}
	st, err := store.Open(dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	s := &Scratch{Archives: NewArchives(st, Limits{}), dir: dir}
	s.Whole = true
	return s, nil
}

// ScratchIn makes a Scratch in the work directory of a store, whose lists of files are remembered,
// for images that a product names: a layer of theirs may be compressed well.
func ScratchIn(st *store.Store) *Scratch {
	s := &Scratch{Archives: NewArchives(st, Limits{Bytes: maxBytes})}
	s.Whole = true
	return s
}

// File makes a file in the directory.
func (s *Scratch) File() (*disk.File, error) { return disk.Create(s.store.Temp()) }

// Close removes the directory, or what was unpacked in the store.
func (s *Scratch) Close() error {
	if s.dir == "" {
		s.Drop()
		return nil
	}
	return os.RemoveAll(s.dir)
}
