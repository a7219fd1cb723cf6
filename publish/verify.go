package publish

import (
	"fmt"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/store"
)

// present reports whether the store has a blob. One of another size than its descriptor says is damaged.
func present(st *store.Store, d v1.Descriptor) (bool, error) {
	n, err := st.Size(d.Digest)
	switch {
	case store.Missing(err):
		return false, nil
	case err == nil && n != d.Size:
		err = fmt.Errorf("blob %s has %d bytes in the store and %d in its manifest: delete %s and run again", d.Digest, n, d.Size, st.Path(d.Digest))
	}
	return err == nil, err
}

// verify compares the bytes of a blob with its digest. A file that has not changed since it was last read, by size and time, is not
// read again.
func verify(st *store.Store, h v1.Hash) error {
	f, err := st.Open(h)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s %d %d", h, fi.Size(), fi.ModTime().UnixNano())
	var sound bool
	if _, err := st.Recall("verified", key, &sound); err != nil || sound {
		return err
	}
	got, _, err := v1.SHA256(f)
	if err != nil {
		return err
	}
	if got != h {
		return damaged(f, got)
	}
	return st.Record("verified", key, true)
}

func damaged(f *os.File, got v1.Hash) error {
	return fmt.Errorf("%s is damaged, it has digest %s: delete it and build again", f.Name(), got)
}
