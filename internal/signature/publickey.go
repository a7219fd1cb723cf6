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
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
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

// ParsePublicKey reads a PEM file with one public key, as slipway keygen, cosign and openssl
// write it. Anything else in the file is an error, such as a private key.
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
	switch {
	case slices.Contains(types, block.Type) && len(bytes.TrimSpace(rest)) > 0:
		return nil, fmt.Errorf("more follows the %s: a file has one key", block.Type)
	case slices.Contains(types, block.Type):
		return block, nil
	case len(block.Type) > 40:
		block.Type = block.Type[:40] + "…"
	}
	half := "the public half, the .pub file"
	if strings.HasSuffix(types[0], "PRIVATE KEY") {
		half = "the private half, the .key file"
	}
	return nil, fmt.Errorf("the file has a %q, and not a %q: name %s", block.Type, types[0], half)
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

// errSignature is the error for a signature that does not belong to a key and a message.
var errSignature = errors.New("the signature is not of this key and these bytes")

// points is a signature in ASN.1 (SEC 1, C.8).
type points struct{ R, S *big.Int }

// half is half of the order of P-256. Of the two signatures (r, s) and (r, n-s), which are valid
// for the same message, the one with s of at most half is used: so no other signature can be made
// out of one.
var half = new(big.Int).Rsh(elliptic.P256().Params().N, 1)

// Verify checks a signature, DER with a low S, over the SHA-256 of message. The error is
// errSignature, or one about the form.
func (k *PublicKey) Verify(message, sig []byte) error {
	p, err := parsePoints(sig)
	if err != nil {
		return err
	}
	if p.S.Cmp(half) > 0 {
		return errors.New("the signature has a high S: it is another form of a signature, made without the key")
	}
	sum := sha256.Sum256(message)
	if !ecdsa.VerifyASN1(k.key, sum[:], sig) {
		return errSignature
	}
	return nil
}

// parsePoints reads a signature in DER. Other encodings of the same numbers are errors.
func parsePoints(sig []byte) (points, error) {
	var p points
	if len(sig) > 72 { // two numbers of 33 bytes with their headers
		return p, errors.New("the signature is too long for P-256")
	}
	rest, err := asn1.Unmarshal(sig, &p)
	if err != nil || len(rest) > 0 || p.R.Sign() <= 0 || p.S.Sign() <= 0 {
		return p, errors.New("the signature is not two numbers in DER")
	}
	return p, nil
}

// low returns sig, DER with a low S.
func low(sig []byte) ([]byte, error) {
	p, err := parsePoints(sig)
	if err != nil {
		return nil, err
	}
	if p.S.Cmp(half) > 0 {
		p.S.Sub(elliptic.P256().Params().N, p.S)
	}
	return asn1.Marshal(p)
}
