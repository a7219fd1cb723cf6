package oci

import (
	"encoding/hex"
	"hash"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Sum returns the digest of the bytes written to h, a sha256 hash.
func Sum(h hash.Hash) v1.Hash {
	return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(h.Sum(nil))}
}
