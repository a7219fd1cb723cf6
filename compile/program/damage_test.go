package program_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// damages are ways to damage a compiled program on disk.
var damages = map[string]func(b []byte) []byte{
	"empty":                 func([]byte) []byte { return nil },
	"truncated":             func(b []byte) []byte { return b[:len(b)-100] },
	"flipped at the start":  func(b []byte) []byte { b[0] ^= 1; return b },
	"flipped in the middle": func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
	"flipped at the end":    func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
	"garbage":               func(b []byte) []byte { return bytes.Repeat([]byte{0xa5}, len(b)) },
}

// TestDamaged checks that a damaged program is never used. Programs are not read to see whether
// they are current, so the reader reports the damage, and repairing the store rebuilds the
// program.
func TestDamaged(t *testing.T) {
	for _, fixed := range []bool{false, true} {
		tree, st := write(t, module), storetest.Open(t)
		if fixed {
			tree.Fixed, tree.Source.Sum = true, "h1:one"
		}
		programs := []program.Program{declare(t, product.Program{Name: "a", Package: "./cmd/a"}, tree, linux)}
		read := func() ([]byte, error) {
			set, _ := compile(t, st, programs)
			out, err := set.File(t.Context(), "a", linux)
			if err != nil {
				t.Fatal(err)
			}
			r, err := out.Content.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			return io.ReadAll(r)
		}
		want, err := read()
		if err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(filepath.Join(st.Dir(), "work", "go", "*", "*", "*"))
		if err != nil || len(found) != 1 {
			t.Fatalf("the work directory has %v, %v", found, err)
		}
		left := found[0] + "-go-tmp-umask" // by the go command, where it is killed
		if err := os.WriteFile(left, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for name, do := range damages {
			if err := os.WriteFile(found[0], do(bytes.Clone(want)), 0o755); err != nil {
				t.Fatal(err)
			}
			got, err := read()
			var damaged *store.DamagedError
			if errors.As(err, &damaged) && damaged.Path == found[0] {
				err = st.Mend(t.Context(), nil, func() (err error) {
					got, err = read()
					return err
				})
			}
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, fixed %t: %d bytes, %v, want the %d that were compiled", name, fixed,
					len(got), err, len(want))
			}
		}
		if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("fixed %t: a file of a go command that was killed: %v", fixed, err)
		}
	}
}
