package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/store"
)

// TestLock takes the lock twice: file locks belong to open files, so two stores of one process are
// like two processes.
func TestLock(t *testing.T) {
	a := open(t)
	b, err := store.Open(a.Dir())
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := a.Lock(t.Context(), func(string, ...any) { t.Error("the first had to wait") })
	if err != nil {
		t.Fatal(err)
	}
	waiting, got := make(chan struct{}), make(chan error, 1)
	go func() {
		unlock, err := b.Lock(t.Context(), func(string, ...any) { close(waiting) })
		if err == nil {
			unlock()
		}
		got <- err
	}()
	<-waiting
	select {
	case err := <-got:
		t.Fatalf("the second did not wait: %v", err)
	default:
	}
	unlock()
	if err := <-got; err != nil {
		t.Fatal(err)
	}

	unlock, err = a.Lock(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := b.Lock(ctx, func(string, ...any) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was given up: %v", err)
	}
}

// TestLockSweeps: what a process that was killed was writing goes when the next one locks the
// store; blobs stay.
func TestLockSweeps(t *testing.T) {
	st := open(t)
	kept, err := st.PutBytes([]byte("blob"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := st.Create()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Write([]byte("half")); err != nil {
		t.Fatal(err)
	}
	build := filepath.Join(st.Temp(), "go-build123", "b001")
	if err := os.MkdirAll(build, 0o755); err != nil {
		t.Fatal(err)
	}
	unlock, err := st.Lock(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(st.Temp()); err != nil || len(left) > 0 {
		t.Errorf("left are %v %v", left, err)
	}
	if err := os.MkdirAll(build, 0o755); err != nil { // by a program that was interrupted
		t.Fatal(err)
	}
	unlock()
	if left, err := os.ReadDir(st.Temp()); err != nil || len(left) > 0 {
		t.Errorf("left after unlocking are %v %v", left, err)
	}
	if !st.Has(kept) {
		t.Error("a blob is gone")
	}
}

// TestOpenTogether: of several processes that make the same store, none undoes what another has
// written to it.
func TestOpenTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	var g errgroup.Group
	for _, name := range names {
		g.Go(func() error {
			st, err := store.Open(dir)
			if err != nil {
				return err
			}
			unlock, err := st.Lock(t.Context(), nil)
			if err != nil {
				return err
			}
			defer unlock()
			h, err := st.PutBytes([]byte(name))
			if err != nil {
				return err
			}
			return st.Tag(name, v1.Descriptor{MediaType: types.OCIManifestSchema1, Digest: h, Size: 1})
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, ok, err := st.Resolve(name); err != nil || !ok {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
}

func TestOpen(t *testing.T) {
	st := open(t)
	if _, err := os.Stat(filepath.Join(st.Dir(), "oci-layout")); err != nil {
		t.Error(err)
	}
	w, err := st.Work("a/b")
	if err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(w); err != nil || !fi.IsDir() {
		t.Error(err)
	}
	for _, text := range []string{`{"imageLayoutVersion":"2.0.0"}`, "{"} {
		foreign := t.TempDir()
		if err := os.WriteFile(filepath.Join(foreign, "oci-layout"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Open(foreign); err == nil {
			t.Errorf("a layout of another version was opened: %s", text)
		}
		if entries, err := os.ReadDir(foreign); err != nil || len(entries) != 1 {
			t.Errorf("something was made in a directory that is not slipway's: %v, %v", entries, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(file); err == nil {
		t.Error("a file was opened as a store")
	}
}
