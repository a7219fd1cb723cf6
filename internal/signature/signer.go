package signature

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/subprocess"
)

// Signer signs with one key, which is in memory or known to a program.
type Signer struct {
	Public *PublicKey
	sign   func(ctx context.Context, message []byte) ([]byte, error)
}

// Sign returns the signature of message, DER with a low S, after it was verified.
func (s *Signer) Sign(ctx context.Context, message []byte) ([]byte, error) {
	sig, err := s.sign(ctx, message)
	if err != nil {
		return nil, err
	}
	if sig, err = low(sig); err != nil {
		return nil, err
	}
	return sig, s.Public.Verify(message, sig)
}

// Local returns a signer with a key in memory, on P-256, that signs by RFC 6979.
func Local(key *ecdsa.PrivateKey) (*Signer, error) {
	k, err := public(&key.PublicKey)
	if err != nil {
		return nil, err
	}
	return &Signer{Public: k, sign: func(_ context.Context, message []byte) ([]byte, error) {
		sum := sha256.Sum256(message)
		return key.Sign(nil, sum[:], crypto.SHA256) // nil: deterministic
	}}, nil
}

// commandTime is how long a program may take for one signature: a person may have to touch a token.
const commandTime = 2 * time.Minute

// Command returns a signer that runs a program for each signature: for a KMS, an HSM or a token.
// The program gets the message on its standard input and writes the signature, in DER or DER in
// base64, to its standard output. argv is split at spaces; no shell is involved. The key is the
// public half: what the program writes must be its signature of the message.
func Command(argv string, key *PublicKey) (*Signer, error) {
	words := strings.Fields(argv)
	if len(words) == 0 {
		return nil,
			errors.New("the command of -signer is empty: name a program that reads bytes and writes their signature")
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("-signer: %w", err)
	}
	return &Signer{Public: key, sign: func(ctx context.Context, message []byte) ([]byte, error) {
		return run(ctx, words, message, commandTime)
	}}, nil
}

// run runs a program that signs, for at most the given time.
func run(ctx context.Context, words []string, message []byte, limit time.Duration) ([]byte, error) {
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := subprocess.Command(timed, words[0], words[1:]...)
	var messages subprocess.Tail
	cmd.Stdin, cmd.Stderr = bytes.NewReader(message), &messages
	answer := &subprocess.Bound{Max: 1024, End: cancel}
	cmd.Stdout = answer
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case answer.Full:
		return nil, fmt.Errorf("signing with %s: it wrote more than a signature", words[0])
	case timed.Err() != nil:
		return nil, fmt.Errorf("signing with %s: no signature after %s", words[0], limit)
	case err != nil:
		return nil, fmt.Errorf("signing with %s: %w: %s", words[0], err, output.Excerpt(messages.Line(), 400))
	}
	text := answer.Text
	if sig, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(string(text))); err == nil &&
		len(sig) > 0 {
		text = sig
	}
	if _, err := parsePoints(text); err != nil {
		return nil, fmt.Errorf("signing with %s: %w", words[0], err)
	}
	return text, nil
}

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
