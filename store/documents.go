package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Documents reads the documents that a store in dir has, without opening it: nothing is made or
// mended there. The error for what it lacks wraps [oci.ErrAbsent].
func Documents(dir string) oci.Get {
	return func(d v1.Descriptor) ([]byte, error) {
		raw, err := regular.ReadMost(filepath.Join(dir, "blobs", d.Digest.Algorithm, d.Digest.Hex), oci.MaxConfig)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, oci.ErrAbsent
		}
		if err != nil {
			return nil, err
		}
		h, _, err := v1.SHA256(bytes.NewReader(raw))
		if err == nil && h != d.Digest {
			err = fmt.Errorf("document %s of the store %s is damaged", d.Digest, dir)
		}
		return raw, err
	}
}
