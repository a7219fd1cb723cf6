package signature_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/signature"
)

const statement = `{"_type":"https://in-toto.io/Statement/v1"}`

// signer returns a key that was made for the test.
func signer(t testing.TB) *signature.Signer {
	t.Helper()
	private, public, err := signature.Generate([]byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := signature.ParsePrivateKey(private, []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := signature.ParsePublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	if !k.Equal(s.Public) {
		t.Fatal("the private and the public key are of different pairs")
	}
	return s
}

// TestSign signs the same bytes twice and verifies them with the right and another key.
func TestSign(t *testing.T) {
	s, other := signer(t), signer(t)
	text, err := signature.SignStatement(t.Context(), s, []byte(statement))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := signature.SignStatement(t.Context(), s, []byte(statement)); err != nil ||
		!bytes.Equal(text, again) {
		t.Errorf("signed twice: %v\n%s%s", err, text, again)
	}
	if got, err := openStatement(s.Public, text); err != nil || string(got) != statement {
		t.Errorf("%q, error %v", got, err)
	}
	if _, err := openStatement(other.Public, text); err == nil || !strings.Contains(err.Error(), "another key") {
		t.Errorf("another key: error %v", err)
	}
	file, err := signature.SignFile(t.Context(), s, []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	if err := signature.VerifyFile(s.Public, file, []byte("content")); err != nil {
		t.Error(err)
	}
	plain, err := signature.SignPlain(t.Context(), s, []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	if err := signature.VerifyPlain(s.Public, plain, []byte("content")); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"other content": signature.VerifyFile(s.Public, file, []byte("Content")),
		"other key":     signature.VerifyFile(other.Public, file, []byte("content")),
		"statement":     signature.VerifyFile(s.Public, text, []byte("content")),
		"plain content": signature.VerifyPlain(s.Public, plain, []byte("Content")),
		"plain key":     signature.VerifyPlain(other.Public, plain, []byte("content")),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := openStatement(s.Public, file); err == nil || !strings.Contains(err.Error(), "signs a file") {
		t.Errorf("a file for a statement: error %v", err)
	}
}

// TestFlip changes each bit of each form of a signature.
func TestFlip(t *testing.T) {
	s := signer(t)
	content := []byte("content")
	text, err := signature.SignStatement(t.Context(), s, []byte(statement))
	if err != nil {
		t.Fatal(err)
	}
	file, err := signature.SignFile(t.Context(), s, content)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := signature.SignPlain(t.Context(), s, content)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		text   []byte
		verify func([]byte) error
	}{
		{"statement", text, func(b []byte) error { _, err := openStatement(s.Public, b); return err }},
		{"file", file, func(b []byte) error { return signature.VerifyFile(s.Public, b, content) }},
		{"plain", plain, func(b []byte) error { return signature.VerifyPlain(s.Public, b, content) }},
		{"content", content, func(b []byte) error { return signature.VerifyPlain(s.Public, plain, b) }},
	} {
		if err := tt.verify(tt.text); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		for i := range tt.text {
			for bit := range 8 {
				b := bytes.Clone(tt.text)
				b[i] ^= 1 << bit
				if tt.verify(b) == nil {
					t.Errorf("%s: accepted with bit %d of byte %d changed", tt.name, bit, i)
				}
			}
		}
		for _, b := range [][]byte{
			nil, tt.text[:len(tt.text)-2], append(bytes.Clone(tt.text), ' '),
			append([]byte(" "), tt.text...),
		} {
			if tt.verify(b) == nil {
				t.Errorf("%s: accepted %q", tt.name, b)
			}
		}
	}
}

// envelope is a bundle with a statement, for tests that change it.
type envelope struct {
	MediaType string `json:"mediaType"`
	Material  struct {
		PublicKey struct {
			Hint string `json:"hint"`
		} `json:"publicKey"`
	} `json:"verificationMaterial"`
	Envelope struct {
		Payload     []byte `json:"payload"`
		PayloadType string `json:"payloadType"`
		Signatures  []struct {
			Sig []byte `json:"sig"`
		} `json:"signatures"`
	} `json:"dsseEnvelope"`
}

// TestForged verifies bundles that were changed by an attacker who knows their form.
func TestForged(t *testing.T) {
	s, other := signer(t), signer(t)
	text, err := signature.SignStatement(t.Context(), s, []byte(statement))
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := signature.SignStatement(t.Context(), other, []byte(statement))
	if err != nil {
		t.Fatal(err)
	}
	var forged envelope
	if err := json.Unmarshal(theirs, &forged); err != nil {
		t.Fatal(err)
	}
	forged.Material.PublicKey.Hint = s.Public.Hint()
	change := func(f func(*envelope)) string {
		var e envelope
		if err := json.Unmarshal(text, &e); err != nil {
			t.Fatal(err)
		}
		f(&e)
		return marshal(t, e)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"hint of the right key", marshal(t, forged), "not of this key"},
		{"payload", change(func(e *envelope) { e.Envelope.Payload = []byte("{}") }), "not of this key and these bytes"},
		{
			"payload type", change(func(e *envelope) { e.Envelope.PayloadType = "text/plain" }),
			"not an in-toto statement",
		},
		{"two signatures", change(func(e *envelope) {
			e.Envelope.Signatures = append(e.Envelope.Signatures, e.Envelope.Signatures...)
		}), "2 signatures"},
		{"no signature", change(func(e *envelope) { e.Envelope.Signatures = nil }), "0 signatures"},
		{
			"high S", change(func(e *envelope) { e.Envelope.Signatures[0].Sig = high(t, e.Envelope.Signatures[0].Sig) }),
			"high S",
		},
		{
			"not DER", change(func(e *envelope) { e.Envelope.Signatures[0].Sig = make([]byte, 64) }),
			"not two numbers in DER",
		},
		{"trailing bytes", change(func(e *envelope) {
			e.Envelope.Signatures[0].Sig = append(e.Envelope.Signatures[0].Sig, 0)
		}), "not two numbers in DER"},
		{"long", change(func(e *envelope) { e.Envelope.Signatures[0].Sig = make([]byte, 4096) }), "too long"},
		{
			"media type", change(func(e *envelope) { e.MediaType = "application/vnd.dev.sigstore.bundle.v0.2+json" }),
			"not a Sigstore bundle v0.3",
		},
		{
			"duplicate key", strings.Replace(string(text), `{"mediaType"`, `{"mediaType":"x","mediaType"`, 1),
			"given twice",
		},
		{
			"duplicate payload", strings.Replace(string(text), `"payload":`, `"payload":"e30=","payload":`, 1),
			"given twice",
		},
		{
			"another payload behind",
			strings.Replace(string(text), `"payloadType":`, `"payload":"e30=","payloadType":`, 1), "given twice",
		},
		{"two envelopes", strings.Replace(string(text), `"dsseEnvelope":`,
			`"dsseEnvelope":{"payload":"e30="},"dsseEnvelope":`, 1), "given twice"},
		{
			"line break in the payload", strings.Replace(string(text), `"payload":"`, "\"payload\":\"\n", 1),
			"another way",
		},
		{"escaped payload", strings.Replace(string(text), `"payload":"e`, `"payload":"\u0065`, 1), "another way"},
		{"open payload", string(text[:bytes.Index(text, []byte(`"payload":`))+12]), "not the JSON"},
		{"unknown field", strings.Replace(string(text), `{"mediaType"`, `{"a":1,"mediaType"`, 1), "unknown"},
		{"other case", strings.Replace(string(text), `"payload"`, `"Payload"`, 1), "another way"},
		{
			"keyless",
			`{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"certificate":{"rawBytes":"AA=="}},"dsseEnvelope":{"payload":"","payloadType":"","signatures":[{"sig":""}]}}`, "unknown",
		},
		{"neither", `{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}`, "either"},
		{"no JSON", "-----BEGIN", "not the JSON"},
		{"large", strings.Repeat(" ", signature.MaxBundle+1), "larger than 16 MiB"},
	} {
		if _, err := openStatement(s.Public, []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

func marshal(t *testing.T, e envelope) string {
	t.Helper()
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

// high returns the other valid signature of the same message.
func high(t *testing.T, sig []byte) []byte {
	t.Helper()
	var p struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(sig, &p); err != nil {
		t.Fatal(err)
	}
	p.S.Sub(elliptic.P256().Params().N, p.S)
	b, err := asn1.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestKeys reads damaged keys and those of other kinds.
func TestKeys(t *testing.T) {
	private, public, err := signature.Generate([]byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := signature.ParsePrivateKey(private, []byte("Secret")); !errors.Is(err, signature.ErrPassword) {
		t.Errorf("wrong password: error %v", err)
	}
	block := func(kind, content string) string {
		return "-----BEGIN " + kind + "-----\n" + base64.StdEncoding.EncodeToString([]byte(content)) +
			"\n-----END " + kind + "-----\n"
	}
	const secret = "ENCRYPTED SIGSTORE PRIVATE KEY"
	for _, tt := range []struct{ name, text, want string }{
		{"public", string(public), `has a "PUBLIC KEY"`},
		{"empty", "", "no PEM block"},
		{"two", string(private) + string(private), "more follows"},
		{"no JSON", block(secret, "x"), "not JSON"},
		{
			"much memory", block(secret, `{"kdf":{"name":"scrypt","params":{"N":1073741824,"r":8,"p":1}}}`),
			"another method",
		},
		{"other cipher", block(secret,
			`{"kdf":{"name":"scrypt","params":{"N":65536,"r":8,"p":1}},"cipher":{"name":"aes"}}`), "another cipher"},
	} {
		if _, err := signature.ParsePrivateKey([]byte(tt.text), nil); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	for _, tt := range []struct{ name, text, want string }{
		{"private", string(private), "ENCRYPTED SIGSTORE PRIVATE KEY"},
		{
			"ed25519", block("PUBLIC KEY", "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"+strings.Repeat("a", 32)),
			"not an ECDSA key on P-256",
		},
		{"damaged", block("PUBLIC KEY", "x"), "reading the public key"},
		{"large", strings.Repeat("x", 65<<10), "not a key"},
	} {
		if _, err := signature.ParsePublicKey([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestCommand signs by programs that do what they should, and others.
func TestCommand(t *testing.T) {
	s := signer(t)
	good, err := signature.SignPlain(t.Context(), s, []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, script, want string }{
		{"right", "cat >/dev/null; printf %s '" + strings.TrimSpace(string(good)) + "'", ""},
		{"does not read", "printf %s '" + strings.TrimSpace(string(good)) + "'", ""},
		{"rubbish", "cat >/dev/null; echo hello", "not two numbers in DER"},
		{"endless", "yes", "more than a signature"},
		{"nothing", "cat >/dev/null", "not two numbers in DER"},
		{"fails", "cat >/dev/null; echo the token is locked >&2; exit 3", "exit status 3: the token is locked"},
		{"other bytes", "cat >/dev/null; printf %s '" + other(t, s) + "'", "not of this key"},
	} {
		path := filepath.Join(t.TempDir(), "sign")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+tt.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		c, err := signature.Command(path, s.Public)
		if err != nil {
			t.Fatal(err)
		}
		got, err := signature.SignPlain(t.Context(), c, []byte("content"))
		switch {
		case tt.want == "" && (err != nil || !bytes.Equal(got, good)):
			t.Errorf("%s: %q, error %v", tt.name, got, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	for argv, want := range map[string]string{" ": "is empty", "no-such-program -x": "not found"} {
		if _, err := signature.Command(argv, s.Public); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v", argv, err)
		}
	}
}

// other returns the signature of other bytes, in base64.
func other(t *testing.T, s *signature.Signer) string {
	t.Helper()
	b, err := signature.SignPlain(t.Context(), s, []byte("other"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// FuzzOpen opens bundles and keys of unknown origin. Only a bundle of the key verifies.
func FuzzOpen(f *testing.F) {
	s := example(f) // the same in all processes
	text, err := signature.SignStatement(f.Context(), s, []byte(statement))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(s.Public.PEM())
	f.Add([]byte(`{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","dsseEnvelope":{"signatures":[{}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, err := openStatement(s.Public, b); err == nil && string(got) != statement {
			t.Errorf("a bundle with %q verifies", got)
		}
		if k, err := signature.ParsePublicKey(b); err == nil {
			if k.Verify([]byte("x"), []byte("y")) == nil {
				t.Error("verified")
			}
		}
		if signature.VerifyPlain(s.Public, b, []byte("x")) == nil {
			t.Error("a signature of unknown origin verifies")
		}
	})
}

// TestDeterministic checks that a key in memory signs as RFC 6979 says: A.2.5, SHA-256, "sample".
func TestDeterministic(t *testing.T) {
	got, err := example(t).Sign(t.Context(), []byte("sample"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := asn1.Marshal(struct{ R, S *big.Int }{ // with the low S
		number("EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"),
		new(big.Int).Sub(elliptic.P256().Params().N,
			number("F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8")),
	})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// openStatement reads and verifies a bundle with a statement.
func openStatement(k *signature.PublicKey, text []byte) ([]byte, error) {
	b, err := signature.Parse(text)
	if err != nil {
		return nil, err
	}
	return b.Statement(k)
}

// example is the key of RFC 6979, A.2.5.
func example(tb testing.TB) *signature.Signer {
	tb.Helper()
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(),
		number("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721").Bytes())
	if err != nil {
		tb.Fatal(err)
	}
	s, err := signature.Local(key)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func number(hex string) *big.Int { n, _ := new(big.Int).SetString(hex, 16); return n }
