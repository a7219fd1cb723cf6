// Package hsmtest is a program that signs, as the program of a hardware security module or of a
// cloud's key service does: tests give it to -signer, and need no other program for it.
package hsmtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
)

// Main is the program. `new PRIVATE PUBLIC` writes a key of the curve P-256 to two files in PEM;
// `sign PRIVATE` writes the signature of standard input, ASN.1 over its SHA-256, to standard
// output. Each signature is another, as ECDSA has it. Main does not return.
func Main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(args []string, in io.Reader, out io.Writer) error {
	switch {
	case len(args) == 3 && args[0] == "new":
		return New(args[1], args[2])
	case len(args) == 2 && args[0] == "sign":
		return sign(args[1], in, out)
	}
	return errors.New("usage: new PRIVATE PUBLIC, or sign PRIVATE")
}

// New writes a key of the curve P-256 to two files: PKCS #8 and PKIX, in PEM.
func New(private, public string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	own, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	others, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(private, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: own}), 0o600),
		os.WriteFile(public, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: others}), 0o644))
}

func sign(private string, in io.Reader, out io.Writer) error {
	text, err := os.ReadFile(private)
	if err != nil {
		return err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return fmt.Errorf("%s has nothing in PEM", private)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return err
	}
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return err
	}
	made, err := ecdsa.SignASN1(rand.Reader, key.(*ecdsa.PrivateKey), h.Sum(nil))
	if err != nil {
		return err
	}
	_, err = out.Write(made)
	return err
}
