package airgap

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
)

// packed is what the store remembers of a bundle.
type packed struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

const recordKind = "bundle"

// reuseKey names everything that the bytes of a file follow from, and where the file is.
func reuseKey(l *bundle.Layout, path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return path + "\n" + l.Key(), nil
}

// recall reports whether the file exists with the bytes that were packed. It reads the file:
// neither its size nor its time proves that the disk has kept it.
func (p *packer) recall(ctx context.Context, key string, f *bundle.File) (bool, error) {
	var r packed
	if ok, err := p.st.Recall(recordKind, key, &r); !ok || err != nil {
		return false, err
	}
	file, err := regular.Open(f.Path)
	if err != nil {
		return false, nil // a file that cannot be read is packed again
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

func (p *packer) record(key string, f bundle.File) error {
	return p.st.Record(recordKind, key, packed{f.Size, f.SHA256})
}
