package signature

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"golang.org/x/crypto/nacl/secretbox"
	"golang.org/x/crypto/scrypt"
)

// The types of PEM blocks with an encrypted private key. cosign 2 wrote the second.
const (
	privateType = "ENCRYPTED SIGSTORE PRIVATE KEY"
	cosignType  = "ENCRYPTED COSIGN PRIVATE KEY"
)

// encrypted is a private key (PKCS #8, DER), encrypted by a password: the form of
// go-securesystemslib/encrypted, which cosign uses.
type encrypted struct {
	KDF struct {
		Name   string       `json:"name"`
		Params scryptParams `json:"params"`
		Salt   []byte       `json:"salt"`
	} `json:"kdf"`
	Cipher struct {
		Name  string `json:"name"`
		Nonce []byte `json:"nonce"`
	} `json:"cipher"`
	Ciphertext []byte `json:"ciphertext"`
}

type scryptParams struct {
	N int `json:"N"`
	R int `json:"r"`
	P int `json:"p"`
}

// standard is how new keys are derived: 64 MiB of memory for each try of a password.
var standard = scryptParams{N: 1 << 16, R: 8, P: 1}

// ErrPassword is the error for a private key that the password does not open.
var ErrPassword = errors.New("the password does not open the private key")

// Generate makes a key and returns it as PEM: the private key encrypted by the password, and the
// public key. cosign reads both.
func Generate(password []byte) (private, publicPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("making a key: %w", err)
	}
	k, err := public(&key.PublicKey)
	if err != nil {
		return nil, nil, err
	}
	if private, err = encrypt(key, password); err != nil {
		return nil, nil, fmt.Errorf("encrypting the key: %w", err)
	}
	return private, k.PEM(), nil
}

func encrypt(key *ecdsa.PrivateKey, password []byte) ([]byte, error) {
	plain, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	var e encrypted
	e.KDF.Name, e.KDF.Params, e.KDF.Salt = "scrypt", standard, make([]byte, 32)
	e.Cipher.Name, e.Cipher.Nonce = "nacl/secretbox", make([]byte, 24)
	rand.Read(e.KDF.Salt)     // never fails
	rand.Read(e.Cipher.Nonce) // never fails
	secret, err := e.secret(password)
	if err != nil {
		return nil, err
	}
	e.Ciphertext = secretbox.Seal(nil, plain, (*[24]byte)(e.Cipher.Nonce), secret)
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: privateType, Bytes: text}), nil
}

// secret derives the key of the cipher from a password.
func (e encrypted) secret(password []byte) (*[32]byte, error) {
	p := e.KDF.Params
	b, err := scrypt.Key(password, e.KDF.Salt, p.N, p.R, p.P, 32)
	if err != nil {
		return nil, err
	}
	return (*[32]byte)(b), nil
}

// check refuses forms other than those that cosign and Slipway have written: other parameters
// could ask for any amount of memory.
func (e encrypted) check() error {
	p := e.KDF.Params
	switch {
	case e.KDF.Name != "scrypt" || p.R != 8 || p.P != 1 || (p.N != 1<<15 && p.N != 1<<16):
		return errors.New("the private key is encrypted by another method than cosign's: make one with slipway keygen")
	case e.Cipher.Name != "nacl/secretbox" || len(e.Cipher.Nonce) != 24 || len(e.KDF.Salt) != 32:
		return errors.New("the private key is encrypted by another cipher than cosign's: make one with slipway keygen")
	}
	return nil
}

// ParsePrivateKey opens a private key that slipway keygen or cosign generate-key-pair made. The
// error is [ErrPassword] if the password is wrong.
func ParsePrivateKey(text, password []byte) (*Signer, error) {
	block, err := single(text, privateType, cosignType)
	if err != nil {
		return nil, err
	}
	var e encrypted
	if err := json.Unmarshal(block.Bytes, &e); err != nil {
		return nil, errors.New("the private key is damaged: its content is not JSON")
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	secret, err := e.secret(password)
	if err != nil {
		return nil, fmt.Errorf("opening the private key: %w", err)
	}
	plain, ok := secretbox.Open(nil, e.Ciphertext, (*[24]byte)(e.Cipher.Nonce), secret)
	if !ok {
		return nil, ErrPassword
	}
	key, err := x509.ParsePKCS8PrivateKey(plain)
	if err != nil {
		return nil, fmt.Errorf("reading the private key: %w", err)
	}
	p256, ok := key.(*ecdsa.PrivateKey)
	if !ok || p256.Curve != elliptic.P256() {
		return nil, errors.New("the private key is not an ECDSA key on P-256: make one with slipway keygen")
	}
	return Local(p256)
}
