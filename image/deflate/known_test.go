package deflate_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/slipway-dev/slipway/image/deflate"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/store"
)

// TestKnown: of a blob that has changed, only what has changed is compressed again.
func TestKnown(t *testing.T) {
	st := storetest.Open(t)
	all := streams()
	compress := func(name string) int64 {
		deflate.Forget()
		before := deflate.Blocks()
		stored(t, st, "a series", all[name])
		return deflate.Blocks() - before
	}
	for _, c := range []struct {
		name string
		want int64
		why  string
	}{
		{"big", 6, "nothing is known"},
		{"big", 0, "all is known"},
		{"changed", 1, "one block has changed, and none refers to it"},
		{"cut", 3, "a file lies elsewhere, one block of it has changed back, and small parts are new"},
		{"a block", 0, "the begin is known"},
		{"big", 5, "only the last blob is known"},
	} {
		if got := compress(c.name); got != c.want {
			t.Errorf("%s: %d blocks were compressed, want %d: %s", c.name, got, c.want, c.why)
		}
	}
}

// TestTaken: a stream knows what its blocks would have taken that were compressed for another one.
func TestTaken(t *testing.T) {
	st := storetest.Open(t)
	parts := streams()["big"]
	var first float64
	for n := range 3 {
		if n != 1 { // the second time it is known by what was compressed lately, then by the last blob
			deflate.Forget()
		}
		_, _, z := stored(t, st, "s", parts)
		switch took := z.Taken(); {
		case n == 0 && took != 0:
			t.Errorf("the first has taken %g seconds", took)
		case n == 1:
			first = took
		case n == 2 && took != first:
			t.Errorf("of the last blob are %g seconds, of what was compressed lately %g", took, first)
		}
	}
	if runtime.GOOS == "linux" && first <= 0 {
		t.Errorf("%g seconds were taken", first)
	}
}

// TestDamaged: a block that is not as it was written is compressed again.
func TestDamaged(t *testing.T) {
	parts := streams()["big"]
	for name, damage := range map[string]func(t *testing.T, st *store.Store, blob string){
		"one byte": func(t *testing.T, _ *store.Store, blob string) {
			b, err := os.ReadFile(blob)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/2] ^= 1
			if err := os.WriteFile(blob, b, 0o644); err != nil {
				t.Fatal(err)
			}
		},
		"shorter": func(t *testing.T, _ *store.Store, blob string) {
			if err := os.Truncate(blob, 1000); err != nil {
				t.Fatal(err)
			}
		},
		"removed": func(t *testing.T, _ *store.Store, blob string) {
			if err := os.Remove(blob); err != nil {
				t.Fatal(err)
			}
		},
		"record": func(t *testing.T, st *store.Store, _ string) {
			err := st.Record("deflated", fmt.Sprintf("%d s", deflate.Format),
				map[string]string{"blob": "sha256:zz", "places": "?"})
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := storetest.Open(t)
			deflate.Forget()
			blob, want, _ := stored(t, st, "s", parts)
			damage(t, st, st.Path(blob))
			deflate.Forget()
			before := deflate.Blocks()
			if _, got, _ := stored(t, st, "s", parts); !bytes.Equal(got, want) {
				t.Error("other bytes than before")
			}
			if deflate.Blocks() == before {
				t.Error("nothing was compressed again")
			}
		})
	}
}
