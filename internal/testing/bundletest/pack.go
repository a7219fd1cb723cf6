package bundletest

import (
	"crypto/sha256"
	"encoding/hex"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Sum is the SHA-256 of b in hex.
func Sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// BlobName is the name of a blob in a bundle.
func BlobName(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }
