package airgap

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/progress"
)

// packed is what the store remembers of a bundle.
type packed struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

const kind = "bundle"

// packing counts changes of this code that change the bytes of a bundle.
const packing = 1

// key names everything that the file's bytes follow from, and where the file is.
func (p *plan) key(path string, docker, oci []byte) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d %d\n%s\n%s\n%s\n", packing, p.created.Unix(), path, docker, oci)
	if err := json.NewEncoder(&b).Encode([]any{p.head, p.layers}); err != nil {
		return "", err
	}
	return b.String(), nil
}

// recall reports whether the file is there with the bytes that were packed. It is read for that:
// neither its size nor its time says whether the disk has kept it.
func (p *packer) recall(ctx context.Context, key string, f *File) (bool, error) {
	var r packed
	if ok, err := p.st.Recall(kind, key, &r); !ok || err != nil {
		return false, err
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return false, nil // what cannot be read is packed again
	}
	defer file.Close()
	fi, err := file.Stat()
	if err != nil || fi.Size() != r.Size {
		return false, nil // as above
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, progress.Reader(ctx, file, nil)); err != nil || hex.EncodeToString(sum.Sum(nil)) != r.SHA256 {
		return false, ctx.Err()
	}
	f.Size, f.SHA256, f.Reused = r.Size, r.SHA256, true
	return true, nil
}

func (p *packer) record(key string, f File) error {
	return p.st.Record(kind, key, packed{f.Size, f.SHA256})
}
