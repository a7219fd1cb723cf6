package airgap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// packed is what the store remembers of a bundle.
type packed struct {
	Size    int64  `json:"size"`
	ModTime int64  `json:"modTime"` // nanoseconds
	SHA256  string `json:"sha256"`
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

// recall reports whether the file is there as it was packed.
func (p *packer) recall(key string, f *File) bool {
	var r packed
	if ok, err := p.st.Recall(kind, key, &r); !ok || err != nil {
		return false
	}
	fi, err := os.Stat(f.Path)
	if err != nil || fi.Size() != r.Size || fi.ModTime().UnixNano() != r.ModTime {
		return false
	}
	f.Size, f.SHA256, f.Reused = r.Size, r.SHA256, true
	return true
}

func (p *packer) record(key string, f File) error {
	fi, err := os.Stat(f.Path)
	if err != nil {
		return err
	}
	return p.st.Record(kind, key, packed{f.Size, fi.ModTime().UnixNano(), f.SHA256})
}
