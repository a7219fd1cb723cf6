// Package signature makes and verifies signatures with ECDSA P-256 and SHA-256, in the forms that
// the verifiers of the field read: cosign's encrypted keys, DSSE envelopes, Sigstore bundles
// v0.3, and simple signing.
//
// A signature is ASN.1 DER with a low S, and a key in memory makes deterministic ones (RFC 6979):
// equal keys and messages have equal signatures. Everything read here is untrusted. Bundles are
// accepted in the exact form that this package writes, so every byte of a document that verifies
// was checked.
package signature

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
)

// maxKey is the largest size of a file with a key, in bytes.
const maxKey = 64 << 10

// publicType is the type of a PEM block with a public key (RFC 7468).
const publicType = "PUBLIC KEY"

// PublicKey is an ECDSA key on the curve P-256.
type PublicKey struct {
	key  *ecdsa.PublicKey
	spki []byte // SubjectPublicKeyInfo (RFC 5280), DER
}

// ParsePublicKey reads a PEM file with one public key, as slipway keygen, cosign and openssl write
// it. It is an error if the file has anything besides it, such as a private key.
func ParsePublicKey(text []byte) (*PublicKey, error) {
	block, err := single(text, publicType)
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading the public key: %w", err)
	}
	p256, ok := key.(*ecdsa.PublicKey)
	if !ok || p256.Curve != elliptic.P256() {
		return nil, errors.New("the public key is not an ECDSA key on P-256: make one with slipway keygen")
	}
	return public(p256)
}

func public(key *ecdsa.PublicKey) (*PublicKey, error) {
	spki, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil, fmt.Errorf("encoding the public key: %w", err)
	}
	return &PublicKey{key: key, spki: spki}, nil
}

// single parses text as exactly one PEM block of one of types.
func single(text []byte, types ...string) (*pem.Block, error) {
	if len(text) > maxKey {
		return nil, fmt.Errorf("the file is larger than %d KiB: it is not a key", maxKey>>10)
	}
	block, rest := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("the file has no PEM block: a key begins with -----BEGIN %s-----", types[0])
	}
	for _, t := range types {
		if block.Type == t {
			if len(bytes.TrimSpace(rest)) > 0 {
				return nil, fmt.Errorf("more follows the %s: a file has one key", t)
			}
			return block, nil
		}
	}
	if len(block.Type) > 40 {
		block.Type = block.Type[:40] + "…"
	}
	return nil, fmt.Errorf("the file has a %q: a %s is needed", block.Type, types[0])
}

// PEM returns the key as a PEM block.
func (k *PublicKey) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: publicType, Bytes: k.spki})
}

// Hint names the key in a bundle: the SHA-256 of its SubjectPublicKeyInfo in base64, as cosign
// writes it.
func (k *PublicKey) Hint() string {
	sum := sha256.Sum256(k.spki)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Fingerprint names the key for people: SHA256: and [PublicKey.Hint] without padding.
func (k *PublicKey) Fingerprint() string {
	sum := sha256.Sum256(k.spki)
	return fingerprint(sum[:])
}

func fingerprint(sum []byte) string {
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum)
}

// Equal reports whether both are the same key.
func (k *PublicKey) Equal(other *PublicKey) bool { return bytes.Equal(k.spki, other.spki) }
