package debian

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// Keyring is the public keys that may sign a repository.
type Keyring struct {
	entities openpgp.EntityList
	names    []string // of the files
}

// Add reads a keyring file: binary as gpg exports it, or armored, with one or more keys. name is
// for messages.
func (k *Keyring) Add(name string, data []byte) error {
	found, err := readKeys(data)
	if err != nil {
		return fmt.Errorf("reading the keyring %s: %w: export the key with gpg --export", name, err)
	}
	k.entities = append(k.entities, found...)
	k.names = append(k.names, name)
	return nil
}

// Only returns a keyring with those keys that have one of the fingerprints, as Signed-By can name
// them. A subkey counts as its key.
func (k *Keyring) Only(fingerprints []string) *Keyring {
	only := &Keyring{names: k.names}
	for _, e := range k.entities {
		all := []*packet.PublicKey{e.PrimaryKey}
		for _, s := range e.Subkeys {
			all = append(all, s.PublicKey)
		}
		if anyFingerprint(all, fingerprints) {
			only.entities = append(only.entities, e)
		}
	}
	return only
}

func anyFingerprint(keys []*packet.PublicKey, fingerprints []string) bool {
	for _, key := range keys {
		for _, f := range fingerprints {
			if strings.EqualFold(strings.TrimSuffix(f, "!"), fmt.Sprintf("%X", key.Fingerprint)) {
				return true
			}
		}
	}
	return false
}

// Fingerprints returns the fingerprints of the keys.
func (k *Keyring) Fingerprints() (all []string) {
	for _, e := range k.entities {
		all = append(all, fingerprint(e))
	}
	return all
}

func fingerprint(e *openpgp.Entity) string { return fmt.Sprintf("%X", e.PrimaryKey.Fingerprint) }

// armored is how the blocks of an armored keyring begin.
const armored = "-----BEGIN PGP PUBLIC KEY BLOCK-----"

func readKeys(data []byte) (openpgp.EntityList, error) {
	if !bytes.Contains(data, []byte(armored)) {
		found, err := openpgp.ReadKeyRing(bytes.NewReader(data))
		if err == nil && len(found) == 0 {
			err = errors.New("it has no public key")
		}
		return found, err
	}
	var all openpgp.EntityList
	for rest := data; ; {
		at := bytes.Index(rest, []byte(armored))
		if at < 0 {
			return all, nil
		}
		end := len(rest)
		if n := bytes.Index(rest[at+len(armored):], []byte(armored)); n >= 0 {
			end = at + len(armored) + n
		}
		block, err := armor.Decode(bytes.NewReader(rest[at:end]))
		if err != nil {
			return nil, err
		}
		found, err := openpgp.ReadKeyRing(block.Body)
		if err != nil {
			return nil, err
		}
		all, rest = append(all, found...), rest[end:]
	}
}

// maxSignatures bounds the signatures of one file. Debian has three.
const maxSignatures = 20

// verify returns the fingerprint of the key that signed a text. One good signature is enough.
func (k *Keyring) verify(signed []byte, signatures io.Reader, now time.Time) (string, error) {
	config := &packet.Config{Time: func() time.Time { return now }}
	packets := packet.NewOpaqueReader(signatures)
	var first error
	var issuers []string
	for range maxSignatures {
		p, err := packets.Next()
		if err != nil {
			break
		}
		var one bytes.Buffer
		if err := p.Serialize(&one); err != nil {
			return "", err
		}
		if issuer := issuerOf(p); issuer != "" {
			issuers = append(issuers, issuer)
		}
		_, signer, err := openpgp.VerifyDetachedSignature(k.entities, bytes.NewReader(signed), &one, config)
		if err == nil {
			return fingerprint(signer), nil
		}
		if signer != nil || !strings.Contains(err.Error(), "unknown entity") {
			first = err
		}
	}
	switch {
	case first != nil:
		return "", fmt.Errorf("its signature is not valid: %w", first)
	case len(issuers) == 0:
		return "", errors.New("it has no signature")
	}
	return "", fmt.Errorf("it is signed by the key %s, which %s does not have", strings.Join(issuers, ", "),
		k.describe())
}

func issuerOf(p *packet.OpaquePacket) string {
	parsed, err := p.Parse()
	if s, ok := parsed.(*packet.Signature); err == nil && ok && s.IssuerKeyId != nil {
		return fmt.Sprintf("%016X", *s.IssuerKeyId)
	}
	return ""
}

func (k *Keyring) describe() string {
	if len(k.names) == 0 {
		return "the empty keyring"
	}
	return strings.Join(k.names, ", ")
}
