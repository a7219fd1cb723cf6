package program

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/store"
)

// stamp is what a program's file looked like after it was compiled.
type stamp struct {
	File    string    `json:"file"`
	Size    int64     `json:"size"`
	ModTime time.Time `json:"modTime"`
}

// recall reports whether the batch was compiled before, from the same source, by the same toolchain, and its files are untouched. It is known
// only of sources that a hash fixes; a directory is left to the go command, which looks at every file of it.
//
// Asking the go command would do for all sources, but it sets the time of an output that it finds current to now, and every
// program would have to be read again to know that it is the same.
func (b *batch) recall(ctx context.Context, st *store.Store, dir string) (bool, error) {
	key, err := b.fixed(ctx)
	if err != nil || key == "" {
		return false, err
	}
	var then []stamp
	if found, err := st.Recall("batch", key, &then); err != nil || !found {
		return false, err
	}
	now, err := b.stamps(dir)
	if err != nil {
		return false, nil //nolint:nilerr // a file that is gone is compiled again
	}
	return slices.EqualFunc(then, now, func(a, b stamp) bool {
		return a.File == b.File && a.Size == b.Size && a.ModTime.Equal(b.ModTime)
	}), nil
}

func (b *batch) remember(ctx context.Context, st *store.Store, dir string) error {
	key, err := b.fixed(ctx)
	if err != nil || key == "" {
		return err
	}
	now, err := b.stamps(dir)
	if err != nil {
		return err
	}
	return st.Record("batch", key, now)
}

// fixed names everything the batch follows from, or is empty where that cannot be known.
func (b *batch) fixed(ctx context.Context) (string, error) {
	tree := b.programs[0].Tree
	if !tree.Fixed {
		return "", nil
	}
	toolchain, err := source.Version(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s %s\n%s", toolchain, tree.Source.Sum, b.id, b.programs[0].key()), nil
}

func (b *batch) stamps(dir string) ([]stamp, error) {
	var all []stamp
	for _, p := range b.programs {
		fi, err := os.Stat(filepath.Join(dir, p.output()))
		if err != nil {
			return nil, err
		}
		all = append(all, stamp{p.output(), fi.Size(), fi.ModTime()})
	}
	return all, nil
}
