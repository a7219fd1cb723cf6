package system

import (
	"crypto/sha1" //nolint:gosec // OpenSSL names certificates by it
	"encoding/pem"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// maxCertificate bounds a file that is looked at as a certificate, in bytes.
const maxCertificate = 4 << 20

// hashed are the certificates, or the lists of revoked ones, whose names have one hash.
type hashed struct {
	list   []hashedFile
	needed int
}

type hashedFile struct {
	name   string
	digest [sha1.Size]byte
	old    int // the number of its link, or notLinked
	needed bool
}

const notLinked = int(^uint(0) >> 1)

// rehash makes the links by which OpenSSL finds the certificates of a directory, as openssl
// rehash does. Where two certificates have one hash, the order of their numbers follows from
// their names.
func (s *System) rehash(dir string) error {
	at, n, err := tree.Resolve(s.Tree, dir)
	if err != nil || n == nil || n.Kind != layer.Dir {
		return err
	}
	names, err := s.Tree.ReadDir(at)
	if err != nil {
		return err
	}
	all := map[string]*hashed{}
	for _, name := range names {
		n, err := s.Tree.Lstat(path.Join(at, name))
		if err != nil {
			return err
		}
		if key, id, ok := hashLink(name); ok && n.Kind == layer.Symlink {
			group(all, key).old(n.Link, id)
			continue
		}
		if err := s.hashFile(all, at, name); err != nil {
			return err
		}
	}
	for _, key := range sortedKeys(all) {
		if err := s.linkHashed(at, key, all[key]); err != nil {
			return err
		}
	}
	return nil
}

func group(all map[string]*hashed, key string) *hashed {
	if all[key] == nil {
		all[key] = &hashed{}
	}
	return all[key]
}

// hashLink splits the name of such a link: 0a775a30.0, or 0a775a30.r0 for a list of revoked
// certificates.
func hashLink(name string) (key string, id int, ok bool) {
	hash, number, ok := strings.Cut(name, ".")
	if _, err := strconv.ParseUint(hash, 16, 32); !ok || len(hash) != 8 || err != nil {
		return "", 0, false
	}
	kind := ""
	if number != "" && number[0]|0x20 == 'r' {
		kind, number = "r", number[1:]
	}
	n, err := strconv.Atoi(number)
	return strings.ToLower(hash) + "." + kind, n, err == nil && n >= 0
}

func (h *hashed) file(name string) *hashedFile {
	at := slices.IndexFunc(h.list, func(f hashedFile) bool { return f.name == name })
	if at < 0 {
		h.list, at = append(h.list, hashedFile{name: name, old: notLinked}), len(h.list)
	}
	return &h.list[at]
}

// old notes a link that is there.
func (h *hashed) old(name string, id int) {
	f := h.file(name)
	f.old = min(f.old, id)
}

// hashFile adds the one certificate, or list of revoked ones, that a file has.
func (s *System) hashFile(all map[string]*hashed, dir, name string) error {
	switch strings.ToLower(path.Ext(name)) {
	case ".pem", ".crt", ".cer", ".crl":
	default:
		return nil
	}
	p := path.Join(dir, name)
	if ok, err := s.is(p, layer.Regular); err != nil || !ok {
		return err
	}
	text, err := s.read(p)
	if err != nil {
		return err
	}
	if len(text) > maxCertificate {
		return nil
	}
	der, revoked, ok := onlyCertificate(text)
	if !ok {
		return nil
	}
	subject, err := nameOf(der, revoked)
	if err != nil {
		return fmt.Errorf("%s: %w: remove it, or write it as OpenSSL does", p, err)
	}
	hash, err := nameHash(subject)
	if err != nil {
		return fmt.Errorf("%s: %w: remove it, or write it as OpenSSL does", p, err)
	}
	key := fmt.Sprintf("%08x.", hash)
	if revoked {
		key += "r"
	}
	h, digest := group(all, key), sha1.Sum(der) //nolint:gosec // it compares files
	if slices.ContainsFunc(h.list, func(f hashedFile) bool { return f.needed && f.digest == digest }) {
		return nil
	}
	if f := h.file(name); !f.needed {
		f.needed, f.digest = true, digest
		h.needed++
	}
	return nil
}

// onlyCertificate returns the only object of a PEM file, if it is a certificate or a list of
// revoked ones.
func onlyCertificate(text []byte) (der []byte, revoked, ok bool) {
	count := 0
	for {
		var b *pem.Block
		if b, text = pem.Decode(text); b == nil {
			return der, revoked, count == 1 && der != nil
		}
		switch b.Type {
		case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE":
			der = b.Bytes
			count++
		case "X509 CRL":
			der, revoked = b.Bytes, true
			count++
		}
	}
}

// linkHashed makes the links of one hash, and removes those that lead elsewhere.
func (s *System) linkHashed(dir, key string, h *hashed) error {
	taken, next := map[int]bool{}, 0
	for _, f := range h.list {
		if f.old < h.needed {
			taken[f.old] = true
		}
	}
	for _, f := range h.list {
		switch {
		case f.old < h.needed:
		case f.needed:
			for taken[next] {
				next++
			}
			taken[next] = true
			p := path.Join(dir, key+strconv.Itoa(next))
			if err := s.unlink(p); err != nil {
				return err
			}
			if err := s.symlink(f.name, p); err != nil {
				return err
			}
		case f.old != notLinked:
			if err := s.unlink(path.Join(dir, key+strconv.Itoa(f.old))); err != nil {
				return err
			}
		}
	}
	return nil
}
