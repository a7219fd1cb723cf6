package signature

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// BundleType is the media type of a Sigstore bundle, and the artifact type of a referrer with one.
const BundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"

// StatementType is the payload type of a DSSE envelope with an in-toto statement.
const StatementType = "application/vnd.in-toto+json"

// MaxBundle is the largest bundle that is read, in bytes. Statements on releases of thousands of
// images are below a third of it.
const MaxBundle = 16 << 20

// bundle is a Sigstore bundle v0.3 with a key (protobuf-specs, sigstore_bundle.proto), with the
// fields in the order in which they are written.
type bundle struct {
	MediaType string `json:"mediaType"`
	Material  struct {
		PublicKey struct {
			Hint string `json:"hint"`
		} `json:"publicKey"`
	} `json:"verificationMaterial"`
	Envelope *dsse    `json:"dsseEnvelope,omitempty"`
	Message  *message `json:"messageSignature,omitempty"`
}

// dsse is a DSSE envelope (secure-systems-lab/dsse, envelope.md) with one signature.
type dsse struct {
	Payload     []byte `json:"payload"`
	PayloadType string `json:"payloadType"`
	Signatures  []sig  `json:"signatures"`
}

type sig struct {
	Sig []byte `json:"sig"`
}

// message is a signature of bytes that are not in the bundle.
type message struct {
	Digest struct {
		Algorithm string `json:"algorithm"`
		Digest    []byte `json:"digest"`
	} `json:"messageDigest"`
	Signature []byte `json:"signature"`
}

// newBundle returns a bundle without a signature that names a key.
func newBundle(k *PublicKey) (b bundle) {
	b.MediaType, b.Material.PublicKey.Hint = BundleType, k.Hint()
	return b
}

// signedBytes are what the one signature of an envelope signs: the pre-authentication encoding.
func (e *dsse) signedBytes() []byte {
	return append(fmt.Appendf(nil, "DSSEv1 %d %s %d ", len(e.PayloadType), e.PayloadType, len(e.Payload)), e.Payload...)
}

// SignStatement returns a bundle with a statement, in-toto's JSON, and its signature.
func SignStatement(ctx context.Context, s *Signer, statement []byte) ([]byte, error) {
	b := newBundle(s.Public)
	b.Envelope = &dsse{Payload: statement, PayloadType: StatementType}
	signed, err := s.Sign(ctx, b.Envelope.signedBytes())
	if err != nil {
		return nil, err
	}
	b.Envelope.Signatures = []sig{{signed}}
	return marshal(b)
}

// SignFile returns a bundle with the signature of a file's content.
func SignFile(ctx context.Context, s *Signer, content []byte) ([]byte, error) {
	b, sum := newBundle(s.Public), sha256.Sum256(content)
	b.Message = &message{}
	b.Message.Digest.Algorithm, b.Message.Digest.Digest = "SHA2_256", sum[:]
	var err error
	if b.Message.Signature, err = s.Sign(ctx, content); err != nil {
		return nil, err
	}
	return marshal(b)
}

func marshal(b bundle) ([]byte, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("encoding the bundle: %w", err)
	}
	return append(text, '\n'), nil
}

// Bundle is a Sigstore bundle that was read and not verified.
type Bundle struct{ bundle bundle }

// Hint returns the hint of the key that the bundle names as its signer: a claim, until the bundle
// is verified with that key.
func (b *Bundle) Hint() string { return b.bundle.Material.PublicKey.Hint }

// Fingerprint names the key of [Bundle.Hint] as [PublicKey.Fingerprint] does.
func (b *Bundle) Fingerprint() (string, error) {
	sum, err := base64.StdEncoding.DecodeString(b.Hint())
	if err != nil || len(sum) != sha256.Size {
		return "", errors.New("the bundle names no key: sign again")
	}
	return fingerprint(sum), nil
}

// Statement verifies a bundle with a statement and returns the statement. Nothing of it may be
// read before.
func (b *Bundle) Statement(k *PublicKey) ([]byte, error) {
	if err := b.check(k); err != nil {
		return nil, err
	}
	e := b.bundle.Envelope
	switch {
	case e == nil:
		return nil, errors.New("the bundle signs a file, not a statement")
	case e.PayloadType != StatementType:
		return nil, errors.New("the payload of the bundle is not an in-toto statement")
	}
	if err := k.Verify(e.signedBytes(), e.Signatures[0].Sig); err != nil {
		return nil, err
	}
	return e.Payload, nil
}

// Signed returns the message that a bundle with a statement signs, and its signature, which is
// not verified.
func Signed(text []byte) (message, sig []byte, err error) {
	b, err := Parse(text)
	if err != nil {
		return nil, nil, err
	}
	e := b.bundle.Envelope
	if e == nil {
		return nil, nil, errors.New("the bundle signs a file, not a statement")
	}
	return e.signedBytes(), e.Signatures[0].Sig, nil
}

// VerifyFile verifies a bundle with the signature of content.
func VerifyFile(k *PublicKey, text, content []byte) error {
	b, err := Parse(text)
	if err == nil {
		err = b.check(k)
	}
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	switch m := b.bundle.Message; {
	case m == nil:
		return errors.New("the bundle signs a statement, not a file")
	case m.Digest.Algorithm != "SHA2_256":
		return errors.New("the bundle has a digest other than SHA-256")
	case !bytes.Equal(m.Digest.Digest, sum[:]):
		return errors.New("the bundle signs other content: its digest is another")
	default:
		return k.Verify(content, m.Signature)
	}
}

// check returns an error unless the bundle claims to be signed by k.
func (b *Bundle) check(k *PublicKey) error {
	if b.Hint() != k.Hint() {
		return fmt.Errorf("it is signed by another key than %s", k.Fingerprint())
	}
	return nil
}

// Parse reads a bundle in the form that slipway writes, and in no other: so it has no field twice,
// none that is not looked at, and base64 in one form only.
func Parse(text []byte) (*Bundle, error) {
	if len(text) > MaxBundle {
		return nil, fmt.Errorf("the bundle is larger than %d MiB", MaxBundle>>20)
	}
	short, payload, err := cutPayload(text)
	if err != nil {
		return nil, err
	}
	var b bundle
	if err := json.Unmarshal(short, &b); err != nil {
		return nil, errors.New("the bundle is not the JSON of a Sigstore bundle")
	}
	if b.MediaType != BundleType {
		return nil, errors.New("the bundle is not a Sigstore bundle v0.3")
	}
	if (b.Envelope == nil) == (b.Message == nil) {
		return nil, errors.New("the bundle must have either a DSSE envelope or the signature of a file")
	}
	if e := b.Envelope; e != nil && len(e.Signatures) != 1 {
		return nil, fmt.Errorf("the bundle has %d signatures: it must have one", len(e.Signatures))
	}
	again, err := marshal(b)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, short) {
		return nil, errForm
	}
	if payload != nil {
		b.Envelope.Payload = payload
	}
	return &Bundle{b}, nil
}

var errForm = errors.New("the bundle is not in the form that slipway writes: " +
	"a field is unknown, missing or given twice, or was written in another way")

// cutPayload returns the text of a bundle with an empty payload, and that payload; nil if there
// is none. The SBOM of an image has hundreds of KB, which the JSON decoder would go through three
// times. The text that it looks for is in no JSON string, where a quote is escaped, so it is in
// the place of the payload or Parse refuses the rest.
func cutPayload(text []byte) (short, payload []byte, err error) {
	const begin = `"dsseEnvelope":{"payload":"`
	before, rest, found := bytes.Cut(text, []byte(begin))
	encoded, after, closed := bytes.Cut(rest, []byte{'"'})
	if !found || !closed {
		return text, nil, nil
	}
	payload, err = base64.StdEncoding.Strict().AppendDecode(make([]byte, 0, len(encoded)), encoded)
	if err != nil || base64.StdEncoding.EncodedLen(len(payload)) != len(encoded) { // it skips line breaks
		return nil, nil, errForm
	}
	return slices.Concat(before, []byte(begin+`"`), after), payload, nil
}

// base64Text returns what a shell gives to base64 -d: the signature of content, for openssl.
func base64Text(signed []byte) []byte {
	return append([]byte(base64.StdEncoding.EncodeToString(signed)), '\n')
}

// SignPlain returns the signature of content in base64, for openssl dgst -verify on machines that
// have nothing else.
func SignPlain(ctx context.Context, s *Signer, content []byte) ([]byte, error) {
	signed, err := s.Sign(ctx, content)
	if err != nil {
		return nil, err
	}
	return base64Text(signed), nil
}

// VerifyPlain verifies what [SignPlain] returned.
func VerifyPlain(k *PublicKey, text, content []byte) error {
	signed, err := base64.StdEncoding.Strict().DecodeString(string(bytes.TrimSuffix(text, []byte("\n"))))
	if err != nil || !bytes.Equal(base64Text(signed), text) {
		return errors.New("the signature is not one line of base64")
	}
	return k.Verify(content, signed)
}
