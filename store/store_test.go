package store_test

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
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/store"
)

func open(tb testing.TB) *store.Store {
	tb.Helper()
	st, err := store.Open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	return st
}

func digest(p []byte) v1.Hash {
	sum := sha256.Sum256(p)
	return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum[:])}
}

// files lists the files in the store's blobs/, including unfinished blobs.
func files(tb testing.TB, st *store.Store) []string {
	tb.Helper()
	var all []string
	err := filepath.WalkDir(filepath.Join(st.Dir(), "blobs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, d.Name())
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

func TestPut(t *testing.T) {
	content := bytes.Repeat([]byte("blob"), 10000)
	h := digest(content)
	for name, tt := range map[string]struct {
		r    io.Reader
		want string // of the error
	}{
		"complete":    {bytes.NewReader(content), ""},
		"other bytes": {strings.NewReader("other"), "arrived with digest " + digest([]byte("other")).String()},
		"too short":   {bytes.NewReader(content[1:]), "arrived with digest"},
		"breaks off": {io.MultiReader(bytes.NewReader(content[:100]),
			iotest.ErrReader(errors.New("the line is dead"))), "the line is dead"},
	} {
		t.Run(name, func(t *testing.T) {
			st := open(t)
			err := st.Put(h, tt.r)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				if left := files(t, st); len(left) > 0 || st.Has(h) {
					t.Errorf("something was kept: %v", left)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if n, err := st.Size(h); err != nil || n != int64(len(content)) {
				t.Errorf("size %d, %v", n, err)
			}
			got, err := st.Get(v1.Descriptor{Digest: h})
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("read %d bytes, %v", len(got), err)
			}
			if fi, err := os.Stat(st.Path(h)); err != nil || fi.Mode().Perm() != 0o644 {
				t.Errorf("mode %v, %v: another user cannot read it", fi.Mode(), err)
			}
			if err := st.Put(h, iotest.ErrReader(errors.New("read again"))); err != nil {
				t.Errorf("a blob that is there was read again: %v", err)
			}
		})
	}
}

func TestPutConcurrently(t *testing.T) {
	st := open(t)
	content := bytes.Repeat([]byte("shared"), 50000)
	h := digest(content)
	var wg sync.WaitGroup
	errs := make([]error, 16)
	for n := range errs {
		wg.Go(func() { errs[n] = st.Put(h, iotest.HalfReader(bytes.NewReader(content))) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got := files(t, st); !slices.Equal(got, []string{h.Hex}) {
		t.Errorf("the store has %v", got)
	}
	if _, err := st.Get(v1.Descriptor{Digest: h}); err != nil {
		t.Error(err)
	}
}

func TestBlob(t *testing.T) {
	st := open(t)
	b, err := st.Create()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Abort()
	for _, s := range []string{"in ", "pieces"} {
		if _, err := io.WriteString(b, s); err != nil {
			t.Fatal(err)
		}
	}
	want := digest([]byte("in pieces"))
	if b.Digest() != want || b.Size() != 9 {
		t.Errorf("%s with %d bytes", b.Digest(), b.Size())
	}
	h, n, err := b.Commit()
	if err != nil || h != want || n != 9 {
		t.Errorf("%s with %d bytes, %v", h, n, err)
	}
	b.Abort()
	if !st.Has(want) {
		t.Error("Abort took away what was committed")
	}

	dropped, err := st.Create()
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(dropped, "half") //nolint:errcheck // dropped anyway
	dropped.Abort()
	dropped.Abort()
	if got := files(t, st); len(got) != 1 {
		t.Errorf("the store has %v", got)
	}
}

func TestGet(t *testing.T) {
	st := open(t)
	h, err := st.PutBytes([]byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	large, err := st.PutBytes(make([]byte, oci.MaxConfig+1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Get(v1.Descriptor{Digest: large}); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprintf("more than %d bytes", oci.MaxConfig)) {
		t.Errorf("above the limit: %v", err)
	}
	_, err = st.Get(v1.Descriptor{Digest: digest([]byte("none"))})
	if !errors.Is(err, fs.ErrNotExist) ||
		!strings.HasSuffix(err.Error(), " is not in the store "+st.Dir()+": build and publish again") {
		t.Errorf("a blob that is not there: %v", err)
	}
	if err := os.WriteFile(st.Path(h), []byte("c0ntent"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Get(v1.Descriptor{Digest: h}); err == nil ||
		!strings.Contains(err.Error(), "is damaged: "+st.Path(h)+" has digest sha256:") {
		t.Errorf("a damaged blob: %v", err)
	}
}

// TestLayout opens the store as any reader of image layouts does.
func TestLayout(t *testing.T) {
	st := open(t)
	l := storetest.Release(t, st, 2000)
	for _, i := range l.Images {
		if err := st.Tag(i.Name+":1",
			v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest, Size: i.Size}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := layout.FromPath(st.Dir())
	if err != nil {
		t.Fatal(err)
	}
	idx, err := p.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(idx); err != nil {
		t.Error(err)
	}
	m, err := idx.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Manifests) != len(l.Images) {
		t.Errorf("the index names %d images", len(m.Manifests))
	}
	// And so do the values that the store itself gives out.
	for _, i := range l.Images {
		if !i.MediaType.IsIndex() {
			img, err := st.Image(i.Digest)
			if err != nil {
				t.Fatal(err)
			}
			if err := validate.Image(img); err != nil {
				t.Errorf("%s: %v", i.Name, err)
			}
			continue
		}
		idx, err := storetest.OpenIndex(st, i.Digest)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Index(idx); err != nil {
			t.Errorf("%s: %v", i.Name, err)
		}
	}
}

func TestImageFails(t *testing.T) {
	st := open(t)
	l := storetest.Release(t, st, 500)
	index, child := l.Images[0].Digest, l.Images[0].Children[0].Digest
	if _, err := st.Image(index); err == nil || !strings.Contains(err.Error(), "it is an index") {
		t.Errorf("an index as an image: %v", err)
	}
	for _, h := range []v1.Hash{index, child} {
		b, err := os.ReadFile(st.Path(h))
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)-2] ^= 1
		if err := os.WriteFile(st.Path(h), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := storetest.OpenIndex(st, index); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged index: %v", err)
	}
	if _, err := st.Image(child); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged manifest: %v", err)
	}
	if _, err := st.Image(digest([]byte("none"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a manifest that is not there: %v", err)
	}
}

func TestTag(t *testing.T) {
	st := open(t)
	d := func(s string) v1.Descriptor {
		h, err := st.PutBytes([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return v1.Descriptor{MediaType: types.OCIImageIndex, Digest: h, Size: int64(len(s))}
	}
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for n := range errs {
		wg.Go(func() { errs[n] = st.Tag(fmt.Sprintf("image-%02d", n), d("same")) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	moved := d("moved")
	moved.Platform, moved.Annotations = &v1.Platform{OS: "linux"}, map[string]string{"x": "y"}
	if err := st.Tag("image-05", moved); err != nil {
		t.Fatal(err)
	}
	again, err := store.Open(st.Dir())
	if err != nil {
		t.Fatal(err)
	}
	for n := range errs {
		want := d("same")
		if n == 5 {
			want = d("moved")
		}
		got, ok, err := again.Resolve(fmt.Sprintf("image-%02d", n))
		if err != nil || !ok || got.Digest != want.Digest || got.Platform != nil || got.Annotations != nil {
			t.Errorf("image-%02d: %+v %v %v", n, got, ok, err)
		}
	}
	if _, ok, err := again.Resolve("none"); ok || err != nil {
		t.Errorf("a name that is not there: %v %v", ok, err)
	}
	if err := os.WriteFile(filepath.Join(st.Dir(), "index.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := again.Resolve("image-00"); err == nil || !strings.Contains(err.Error(), "index.json") {
		t.Errorf("a broken index: %v", err)
	}
}

func TestRecord(t *testing.T) {
	st := open(t)
	type memory struct{ A, B string }
	var got memory
	if ok, err := st.Recall("layer", "key", &got); ok || err != nil {
		t.Errorf("nothing was recorded, and yet: %v %v", ok, err)
	}
	if err := st.Record("layer", "key", memory{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	if ok, err := st.Recall("layer", "key", &got); !ok || err != nil || got != (memory{"a", "b"}) {
		t.Errorf("got %v %v %v", got, ok, err)
	}
	for _, k := range [][2]string{{"file", "key"}, {"layer", "other"}} {
		if ok, err := st.Recall(k[0], k[1], &got); ok || err != nil {
			t.Errorf("%v is another record: %v %v", k, ok, err)
		}
	}
	// A record that cannot be read counts as none.
	broken, err := filepath.Glob(filepath.Join(st.Dir(), "cache", "layer", "*"))
	if err != nil || len(broken) != 1 {
		t.Fatal(broken, err)
	}
	if err := os.WriteFile(broken[0], []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if ok, err := st.Recall("layer", "key", &got); ok || err != nil {
		t.Errorf("a broken record: %v %v", ok, err)
	}
}

// TestImageDamaged checks that a layer of an image ends with an error if the store's bytes changed.
func TestImageDamaged(t *testing.T) {
	st := open(t)
	l := storetest.Release(t, st, 2000)
	img, err := st.Image(l.Images[0].Children[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(img); err != nil {
		t.Error(err)
	}
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(st.Path(m.Layers[0].Digest), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(img); err == nil ||
		!strings.Contains(err.Error(), "blob "+m.Layers[0].Digest.String()+" is damaged: ") {
		t.Errorf("got %v", err)
	}
}

// TestReadThrough: what the store behind has is found, and nothing of it is changed.
func TestReadThrough(t *testing.T) {
	from, st := open(t), open(t)
	for kind, s := range map[string]*store.Store{"behind": from, "both": st} {
		if err := s.Record(kind, "key", kind); err != nil {
			t.Fatal(err)
		}
	}
	if err := from.Record("both", "key", "theirs"); err != nil {
		t.Fatal(err)
	}
	h, err := from.PutBytes([]byte("a blob"))
	if err != nil {
		t.Fatal(err)
	}
	if st.Has(h) {
		t.Error("it has a blob of a store that it does not read")
	}
	if err := st.ReadThrough(filepath.Join(t.TempDir(), "missing")); err != nil {
		t.Fatal(err)
	}
	if err := st.ReadThrough(from.Dir()); err != nil {
		t.Fatal(err)
	}
	raw, err := st.Get(v1.Descriptor{Digest: h})
	if err != nil || string(raw) != "a blob" || !st.HasAll(h, 6) {
		t.Errorf("the blob is %q, %v", raw, err)
	}
	for kind, want := range map[string]string{"behind": "behind", "none": "", "both": "both"} {
		var got string
		if found, err := st.Recall(kind, "key", &got); err != nil || found != (want != "") || got != want {
			t.Errorf("the record %s is %q, %v, %v; want %q", kind, got, found, err, want)
		}
	}
	if err := os.WriteFile(from.Path(h), []byte("b blob"), 0o600); err != nil {
		t.Fatal(err)
	}
	var damaged *store.DamagedError
	if _, err := st.Get(v1.Descriptor{Digest: h}); !errors.As(err, &damaged) || damaged.Dir != from.Dir() {
		t.Errorf("a damaged blob behind is %v", err)
	}
	if err := os.RemoveAll(filepath.Join(from.Dir(), "cache", "behind")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(from.Dir(), "cache", "behind"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var got string
	if found, err := st.Recall("behind", "key", &got); err != nil || found {
		t.Errorf("records that cannot be read are %q, %v", got, err)
	}
}
