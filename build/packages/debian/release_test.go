package debian_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/build/packages/debian"
)

var clock = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// config makes signatures before the clock of the tests.
func config() *packet.Config {
	return &packet.Config{Time: func() time.Time { return clock.Add(-time.Hour) }, Algorithm: packet.PubKeyAlgoEdDSA}
}

func newKey(t *testing.T, name string) *openpgp.Entity {
	t.Helper()
	e, err := openpgp.NewEntity(name, "", name+"@test", config())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// exported returns the public key, armored or not.
func exported(t *testing.T, e *openpgp.Entity, armored bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := e.Serialize(&b); err != nil {
		t.Fatal(err)
	}
	if !armored {
		return b.Bytes()
	}
	var out bytes.Buffer
	w, err := armor.Encode(&out, openpgp.PublicKeyType, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return append(out.Bytes(), '\n')
}

func keyring(t *testing.T, data ...[]byte) *debian.Keyring {
	t.Helper()
	k := &debian.Keyring{}
	for n, d := range data {
		if err := k.Add(fmt.Sprintf("/k%d.gpg", n), d); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

func clearSign(t *testing.T, text string, keys ...*openpgp.Entity) []byte {
	t.Helper()
	var b bytes.Buffer
	var private []*packet.PrivateKey
	for _, k := range keys {
		private = append(private, k.PrivateKey)
	}
	w, err := clearsign.EncodeMulti(&b, private, config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), '\n')
}

const releaseText = `Origin: Debian
Label: Debian
Suite: stable
Codename: bookworm
Version: 12.5
Date: Sun, 01 Mar 2026 10:00:00 UTC
Valid-Until: Sun, 08 Mar 2026 10:00:00 UTC
Acquire-By-Hash: yes
Architectures: all amd64
Components: main contrib
SHA256:
`

func TestVerifyRelease(t *testing.T) {
	one, two := newKey(t, "one"), newKey(t, "two")
	signed := clearSign(t, releaseText, one)
	now := debian.Check{Now: clock}
	id := fmt.Sprintf("%016X", one.PrimaryKey.KeyId)
	for _, c := range []struct {
		name  string
		data  []byte
		keys  *debian.Keyring
		check debian.Check
		want  string
	}{
		{"binary key", signed, keyring(t, exported(t, one, false)), now, "ok"},
		{"armored keys", signed, keyring(t, append(exported(t, two, true), exported(t, one, true)...)), now, "ok"},
		{"one of two signatures", clearSign(t, releaseText, two, one), keyring(t, exported(t, one, false)), now, "ok"},
		{
			"another key", signed, keyring(t, exported(t, two, false)), now,
			"verifying R: it is signed by the key " + id + ", which /k0.gpg does not have: name the repository's key in Signed-By",
		},
		{
			"no key", signed, keyring(t), now,
			"verifying R: it is signed by the key " + id + ", which the empty keyring does not have: name the repository's key in Signed-By",
		},
		{
			"not signed", []byte(releaseText), keyring(t, exported(t, one, false)), now,
			"verifying R: it is not signed: use a signed repository, or name this one below packages.unsigned in slipway.yaml",
		},
		{
			"text before what is signed", append([]byte("Suite: x\n"), signed...), keyring(t, exported(t, one, false)), now,
			"verifying R: it is not signed: use a signed repository, or name this one below packages.unsigned in slipway.yaml",
		},
		{
			"text after what is signed", append(bytes.Clone(signed), "Suite: x\n"...), keyring(t, exported(t, one, false)), now,
			"verifying R: it is not signed: use a signed repository, or name this one below packages.unsigned in slipway.yaml",
		},
		{
			"changed", bytes.Replace(signed, []byte("bookworm"), []byte("trixie"), 1), keyring(t, exported(t, one, false)), now,
			"verifying R: its signature is not valid: openpgp: invalid signature: EdDSA verification failure: name the repository's key in Signed-By",
		},
		{
			"expired", signed, keyring(t, exported(t, one, false)),
			debian.Check{Now: clock.AddDate(0, 0, 30)},
			"R was valid until Sun, 08 Mar 2026 10:00:00 UTC: use a mirror that is up to date",
		},
		{
			"expired and accepted", signed, keyring(t, exported(t, one, false)),
			debian.Check{Now: clock.AddDate(0, 0, 30), NoValidUntil: true},
			"ok",
		},
		{
			"older", signed, keyring(t, exported(t, one, false)),
			debian.Check{Now: clock, NotBefore: clock},
			"R is of Sun, 01 Mar 2026 10:00:00 UTC, older than that of Sun, 01 Mar 2026 12:00:00 UTC which was used before: " +
				"use a mirror that is up to date",
		},
		{
			"future", clearSign(t, strings.Replace(releaseText, "10:00:00", "13:00:00", 1), one), keyring(t, exported(t, one, false)), now,
			"R is of Sun, 01 Mar 2026 13:00:00 UTC, in the future: correct the clock",
		},
		{
			"no digests", clearSign(t, "Suite: a\n", one), keyring(t, exported(t, one, false)), now,
			"reading R: it has no SHA256 section: the repository must publish SHA-256 digests",
		},
		{
			"wrong digest", clearSign(t, releaseText+" abc 1 a\n", one), keyring(t, exported(t, one, false)), now,
			`reading R: its SHA256 section has the line "abc 1 a": a line is a digest, a size and a path`,
		},
		{
			"wrong date", clearSign(t, "Date: yesterday\nSHA256:\n", one), keyring(t, exported(t, one, false)), now,
			`reading R: its field Date has "yesterday", which is not a date`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := debian.VerifyRelease("R", c.data, c.keys, c.check)
			got := "ok"
			if err != nil {
				got = err.Error()
			} else if r.Fingerprint != fmt.Sprintf("%X", one.PrimaryKey.Fingerprint) || r.Codename != "bookworm" ||
				r.SHA256 != fmt.Sprintf("%x", sha256.Sum256(c.data)) {
				t.Errorf("the release is %+v", r)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestVerifyDetached(t *testing.T) {
	one := newKey(t, "one")
	keys := keyring(t, exported(t, one, false))
	for _, sign := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error {
			return openpgp.DetachSign(b, one, strings.NewReader(releaseText), config())
		},
		func(b *bytes.Buffer) error {
			return openpgp.ArmoredDetachSign(b, one, strings.NewReader(releaseText), config())
		},
	} {
		var b bytes.Buffer
		if err := sign(&b); err != nil {
			t.Fatal(err)
		}
		check := debian.Check{Now: clock}
		if _, err := debian.VerifyDetached("R", []byte(releaseText), b.Bytes(), keys, check); err != nil {
			t.Error(err)
		}
		if _, err := debian.VerifyDetached("R", []byte(releaseText+"\n"), b.Bytes(), keys, check); err == nil {
			t.Error("a changed file is accepted")
		}
	}
	if _, err := debian.VerifyDetached("R", []byte(releaseText), nil, keys, debian.Check{Now: clock}); err == nil ||
		!strings.Contains(err.Error(), "it is not signed") {
		t.Errorf("without a signature: %v", err)
	}
	r, err := debian.ReadUnsigned("R", []byte(releaseText), debian.Check{Now: clock})
	if err != nil || r.Fingerprint != "" || r.Suite != "stable" {
		t.Errorf("a trusted release: %+v, %v", r, err)
	}
}

// TestKeyring checks fingerprints, and files that have no key.
func TestKeyring(t *testing.T) {
	one, two := newKey(t, "one"), newKey(t, "two")
	k := keyring(t, exported(t, one, false), exported(t, two, true))
	want := fmt.Sprintf("%X", two.PrimaryKey.Fingerprint)
	if got := k.Only([]string{strings.ToLower(want)}).Fingerprints(); len(got) != 1 || got[0] != want {
		t.Errorf("the key with the fingerprint is %v, want %s", got, want)
	}
	sub := fmt.Sprintf("%X", two.Subkeys[0].PublicKey.Fingerprint)
	if got := k.Only([]string{sub + "!"}).Fingerprints(); len(got) != 1 || got[0] != want {
		t.Errorf("the key with the subkey is %v, want %s", got, want)
	}
	for _, data := range []string{"", "nonsense", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nabc\n"} {
		if err := (&debian.Keyring{}).Add("/k", []byte(data)); err == nil || !strings.HasPrefix(err.Error(), "reading the keyring /k: ") {
			t.Errorf("a keyring %q: %v", data, err)
		}
	}
}
