package signature

import (
	"context"
	"errors"
)

// Reusing returns a signer with the same key that asks known for a signature of a message before
// it makes one, and calls made with every one that it made. What known returns may be nil, and is
// used only if it is a signature of the message by this key.
func (s *Signer) Reusing(known func(message []byte) []byte, made func(message, sig []byte) error) *Signer {
	return &Signer{Public: s.Public, sign: func(ctx context.Context, message []byte) ([]byte, error) {
		if sig := known(message); sig != nil && s.Public.Verify(message, sig) == nil {
			return sig, nil
		}
		sig, err := s.Sign(ctx, message)
		if err != nil {
			return nil, err
		}
		return sig, made(message, sig)
	}}
}

// Signed returns the message that a bundle with a statement signs, and its signature, which is
// not verified.
func Signed(text []byte) (message, sig []byte, err error) {
	b, err := parse(text)
	if err != nil {
		return nil, nil, err
	}
	if b.Envelope == nil {
		return nil, nil, errors.New("the bundle signs a file, not a statement")
	}
	return encoding(b.Envelope.PayloadType, b.Envelope.Payload), b.Envelope.Signatures[0].Sig, nil
}
