package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/slipway-dev/slipway/internal/signature"
)

// ClaimFile is [Claim] of a file; "" if the file does not exist.
func ClaimFile(path string) (string, error) {
	text, err := readFile(path, signature.MaxBundle)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	key, err := Claim(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// Claim returns the fingerprint of the key that a Sigstore bundle names as its signer. Nothing is
// verified.
func Claim(text []byte) (string, error) {
	b, err := signature.Parse(text)
	if err != nil {
		return "", err
	}
	return b.Fingerprint()
}

// Claims returns the fingerprints of the keys that the Sigstore bundles at the images of a
// material name as their signers, sorted. Nothing is verified.
func Claims(m Material) ([]string, error) {
	r := newReader(Policy{})
	if err := r.read(&m); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(r.claims)), nil
}
