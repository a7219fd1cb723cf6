package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/store"
)

// TestSound checks that what was written, or read to its end, is not hashed again, unless
// something has touched it since.
func TestSound(t *testing.T) {
	st := open(t)
	blob, err := st.PutBytes([]byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := st.Work("go")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	kept, err := st.Keep(t.Context(), program)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]struct {
		path  string
		prove func(*store.Store) error
	}{
		"blob": {st.Path(blob), func(st *store.Store) error { return st.Prove(t.Context(), blob) }},
		"program": {program, func(st *store.Store) error {
			ok, err := st.ProveKept(t.Context(), program)
			if err == nil && !ok {
				return &store.DamagedError{Name: kept.Path}
			}
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			read, err := store.Open(st.Dir())
			if err != nil {
				t.Fatal(err)
			}
			if err := f.prove(read); err != nil {
				t.Fatal(err)
			}
			fi, err := os.Stat(f.path)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(f.path)
			if err != nil {
				t.Fatal(err)
			}
			storetest.Damage(t, f.path, flipped(text, 2))
			untouched := func() error { return os.Chtimes(f.path, fi.ModTime(), fi.ModTime()) }
			if err := errors.Join(untouched(), f.prove(st), f.prove(read)); err != nil {
				t.Errorf("it was hashed again: %v", err)
			}
			storetest.Damage(t, f.path, flipped(text, 2))
			another, err := store.Open(st.Dir())
			if err != nil {
				t.Fatal(err)
			}
			for name, st := range map[string]*store.Store{"the writer": st, "a reader": read, "another run": another} {
				if damaged := new(store.DamagedError); !errors.As(f.prove(st), &damaged) {
					t.Errorf("%s did not read what something has touched", name)
				}
			}
		})
	}
}
