package control

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// authority signs the certificates of a control plane, as kubeadm's does, into the files NAME.crt
// and NAME.key of a directory.
type authority struct {
	dir    string
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	serial int64
}

// newAuthority makes an authority with a certificate of its own, ca.crt.
func newAuthority(dir string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &authority{dir: dir, key: key}
	a.cert = a.template(pkix.Name{CommonName: "kubernetes"})
	a.cert.IsCA, a.cert.BasicConstraintsValid, a.cert.KeyUsage = true, true,
		x509.KeyUsageCertSign|x509.KeyUsageDigitalSignature
	return a, a.write("ca", a.cert, key)
}

// server signs the certificate of a server at addresses and names.
func (a *authority) server(name string, addresses []net.IP, names []string) error {
	c := a.template(pkix.Name{CommonName: name})
	c.ExtKeyUsage, c.IPAddresses, c.DNSNames = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, addresses, names
	return a.issue(name, c)
}

// client signs the certificate of a user who belongs to groups.
func (a *authority) client(name, user string, groups ...string) error {
	c := a.template(pkix.Name{CommonName: user, Organization: groups})
	c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.issue(name, c)
}

func (a *authority) issue(name string, c *x509.Certificate) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	return a.write(name, c, key)
}

func (a *authority) template(subject pkix.Name) *x509.Certificate {
	a.serial++
	return &x509.Certificate{
		SerialNumber: big.NewInt(a.serial), Subject: subject, KeyUsage: x509.KeyUsageDigitalSignature,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
}

func (a *authority) write(name string, c *x509.Certificate, key *ecdsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return fmt.Errorf("signing %s: %w", name, err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	for suffix, block := range map[string]*pem.Block{
		".crt": {Type: "CERTIFICATE", Bytes: der},
		".key": {Type: "EC PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(a.dir, name+suffix), pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
	}
	return nil
}
