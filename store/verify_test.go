package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/store"
)

// filled is a store with everything that one can have.
func filled(tb testing.TB) (st *store.Store, blob v1.Hash, kept string) {
	tb.Helper()
	st = open(tb)
	l := storetest.Release(tb, st, 2000)
	i := l.Images[0]
	if err := st.Tag("demo", v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest, Size: i.Size}); err != nil {
		tb.Fatal(err)
	}
	dir, err := st.Work("go/demo")
	if err != nil {
		tb.Fatal(err)
	}
	kept = filepath.Join(dir, "program")
	if err := os.WriteFile(kept, bytes.Repeat([]byte("program"), 1000), 0o755); err != nil {
		tb.Fatal(err)
	}
	if _, err := st.Keep(tb.Context(), kept); err != nil {
		tb.Fatal(err)
	}
	if err := st.Record("layer", "key", "value"); err != nil {
		tb.Fatal(err)
	}
	return st, i.Children[0].Digest, kept
}

func verify(tb testing.TB, dir string, o store.VerifyOptions) *store.Report {
	tb.Helper()
	st, err := store.Existing(dir)
	if err != nil {
		tb.Fatal(err)
	}
	r, err := st.Verify(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// TestVerify damages each kind of file in each way: it is reported alone, and after the repair
// everything is right.
func TestVerify(t *testing.T) {
	st, blob, kept := filled(t)
	if r := verify(t, st.Dir(), store.VerifyOptions{}); len(r.Damaged) > 0 || r.Blobs < 10 || r.Bytes < 2000 ||
		r.Records != 2 || r.Files != 1 {
		t.Fatalf("a sound store: %+v", r)
	}
	records, err := filepath.Glob(filepath.Join(st.Dir(), "cache", "layer", "*"))
	if err != nil || len(records) != 1 {
		t.Fatal(records, err)
	}
	for name, path := range map[string]string{
		"blob": st.Path(blob), "program": kept, "record": records[0],
		"index": filepath.Join(st.Dir(), "index.json"), "layout": filepath.Join(st.Dir(), "oci-layout"),
	} {
		sound, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for what, b := range map[string][]byte{
			"empty": {}, "truncated": sound[:len(sound)/2], "garbage": bytes.Repeat([]byte{0xa5}, len(sound)),
			"flipped at the start": flipped(sound, 0), "flipped in the middle": flipped(sound, len(sound)/2),
			"flipped at the end": flipped(sound, len(sound)-1),
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				if err := os.WriteFile(path, b, 0o644); err != nil {
					t.Fatal(err)
				}
				rel, err := filepath.Rel(st.Dir(), path)
				if err != nil {
					t.Fatal(err)
				}
				names := func(r *store.Report) (all []string) {
					for _, p := range r.Damaged {
						all = append(all, filepath.FromSlash(p.Path))
					}
					return all
				}
				if got := names(verify(t, st.Dir(), store.VerifyOptions{})); !slices.Equal(got, []string{rel}) {
					t.Errorf("damaged are %q, want %q", got, rel)
				}
				for _, p := range verify(t, st.Dir(), store.VerifyOptions{Repair: true}).Damaged {
					if !p.Removed {
						t.Errorf("%s was not removed", p.Path)
					}
				}
				if r := verify(t, st.Dir(), store.VerifyOptions{}); len(r.Damaged) > 0 {
					t.Errorf("after the repair: %v", r.Damaged)
				}
				if err := os.WriteFile(path, sound, 0o644); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
	if _, err := store.Existing(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a store of slipway") {
		t.Errorf("a directory that is not a store: %v", err)
	}
}

func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 0x10
	return b
}

// TestOpenMends checks that the files of the layout are replaced in a directory of slipway,
// and that names of images stay that can.
func TestOpenMends(t *testing.T) {
	st, _, _ := filled(t)
	for _, name := range []string{"index.json", "oci-layout"} {
		sound, err := os.ReadFile(filepath.Join(st.Dir(), name))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range [][]byte{{}, sound[:len(sound)/2], []byte("garbage"), flipped(sound, len(sound)/2)} {
			if err := os.WriteFile(filepath.Join(st.Dir(), name), b, 0o644); err != nil {
				t.Fatal(err)
			}
			again, err := store.Open(st.Dir())
			if err != nil || len(again.Mended()) != 1 || !strings.Contains(again.Mended()[0], name) {
				t.Errorf("%s is %.20q: %v, mended %q", name, b, err, again.Mended())
			}
			if again, err = store.Open(st.Dir()); err != nil || len(again.Mended()) > 0 {
				t.Errorf("%s after that: %v, mended %q", name, err, again.Mended())
			}
			if err := os.WriteFile(filepath.Join(st.Dir(), name), sound, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Remove(filepath.Join(st.Dir(), "oci-layout")); err != nil {
		t.Fatal(err)
	}
	again, err := store.Open(st.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := again.Resolve("demo"); !ok || err != nil {
		t.Errorf("the index lost its name with oci-layout: %v", err)
	}
	unlock, err := st.Lock(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := os.WriteFile(filepath.Join(st.Dir(), "index.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(st.Dir()); err == nil || !strings.Contains(err.Error(), "another slipway") {
		t.Errorf("an index was made anew while another process has the lock: %v", err)
	}
}

// TestMend checks that a function is called again where what stopped it was damage, and not
// otherwise.
func TestMend(t *testing.T) {
	st, blob, _ := filled(t)
	content, err := st.Get(v1.Descriptor{Digest: blob})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(st.Path(blob), flipped(content, 5), 0o644); err != nil {
		t.Fatal(err)
	}
	calls := 0
	err = st.Mend(t.Context(), nil, func() error {
		calls++
		if st.Has(blob) {
			return st.Prove(t.Context(), blob)
		}
		_, err := st.PutBytes(content)
		return err
	})
	if err != nil || calls != 2 || st.Prove(t.Context(), blob) != nil {
		t.Errorf("%d calls, %v", calls, err)
	}
	other := errors.New("something else")
	calls = 0
	if err := st.Mend(t.Context(), nil, func() error { calls++; return other }); !errors.Is(err, other) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// TestReplace checks that writing a blob replaces a damaged one.
func TestReplace(t *testing.T) {
	st := open(t)
	content := []byte("content")
	h, err := st.PutBytes(content)
	if err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func() error{
		"bytes": func() error { _, err := st.PutBytes(content); return err },
		"stream": func() error {
			b, err := st.Create()
			if err != nil {
				return err
			}
			defer b.Abort()
			if _, err := b.Write(content); err != nil {
				return err
			}
			_, _, err = b.Commit()
			return err
		},
	} {
		if err := os.WriteFile(st.Path(h), flipped(content, 3), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(put(), st.Prove(t.Context(), h)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := st.Check(v1.Descriptor{Digest: h, Size: 3}); err == nil ||
		!strings.Contains(err.Error(), "the manifest that lists it is wrong") {
		t.Errorf("a descriptor that lies: %v", err)
	}
	if err := os.WriteFile(st.Path(h), content[:3], 0o644); err != nil {
		t.Fatal(err)
	}
	var damaged *store.DamagedError
	if _, err := st.Check(v1.Descriptor{Digest: h, Size: 7}); !errors.As(err, &damaged) {
		t.Errorf("a truncated blob: %v", err)
	}
}

// FuzzRecord checks that only what was recorded is recalled, under the key that it was recorded
// under.
func FuzzRecord(f *testing.F) {
	st := open(f)
	if err := st.Record("layer", "key", "value"); err != nil {
		f.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(st.Dir(), "cache", "layer", "*"))
	if err != nil || len(found) != 1 {
		f.Fatal(found, err)
	}
	sound, err := os.ReadFile(found[0])
	if err != nil {
		f.Fatal(err)
	}
	for _, b := range [][]byte{sound, {}, []byte("null"), []byte(`{"sum":"","value":"value"}`), flipped(sound, 10)} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(found[0], b, 0o644); err != nil {
			t.Fatal(err)
		}
		var got string
		ok, err := st.Recall("layer", "key", &got)
		if err != nil || ok && got != "value" {
			t.Errorf("%q is recalled as %q, %v", b, got, err)
		}
	})
}
