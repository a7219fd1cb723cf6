package signature

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"errors"
	"math/big"
)

// ErrSignature is the error for a signature that does not belong to a key and a message.
var ErrSignature = errors.New("the signature is not of this key and these bytes")

// points is a signature in ASN.1 (SEC 1, C.8).
type points struct{ R, S *big.Int }

// half is half of the order of P-256. Of the two signatures (r, s) and (r, n-s), which are valid
// for the same message, the one with s of at most half is used: so no other signature can be made
// out of one.
var half = new(big.Int).Rsh(elliptic.P256().Params().N, 1)

// Verify checks a signature, DER with a low S, over the SHA-256 of message. The error is
// [ErrSignature], or says what is wrong with the form.
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
		return ErrSignature
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
