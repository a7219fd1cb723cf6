package debian

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// Release is what the Release file of a suite says
// (https://wiki.debian.org/DebianRepository/Format).
type Release struct {
	Suite, Codename, Origin, Label, Version string
	NotAutomatic, ButAutomaticUpgrades      bool
	Date, ValidUntil                        time.Time // zero if the file has none
	ByHash                                  bool      // files are also found by their hash
	Architectures, Components               []string  // none if the file does not list them

	files map[string]File
}

// File is a file of a repository, beside its Release file.
type File struct {
	Path   string // main/binary-amd64/Packages.xz
	ByHash string // its other path; empty if there is none
	SHA256 string // in hexadecimal digits
	Size   int64  // bytes
}

// Keyring is a file of OpenPGP keys, binary or armored.
type Keyring struct {
	File string // its name, for messages
	Data []byte
}

// VerifyRelease reads an InRelease file that one of the keys must have signed, and that must be
// valid at a time. key is the fingerprint of the primary key.
func VerifyRelease(text []byte, keyrings []Keyring, now time.Time) (r *Release, key string, err error) {
	block, rest := clearsign.Decode(text)
	if block == nil {
		return nil, "", errors.New("it has no signature: use a repository whose InRelease is signed")
	}
	if len(bytes.TrimSpace(rest)) > 0 {
		return nil, "", errors.New("it has text after its signature: use a repository that is not damaged")
	}
	var keys openpgp.EntityList
	for _, k := range keyrings {
		found, err := readKeys(k.Data)
		if err != nil {
			return nil, "", fmt.Errorf("reading keys of %s: %w", k.File, err)
		}
		keys = append(keys, found...)
	}
	key, err = signer(keys, block, now)
	if err != nil {
		return nil, "", err
	}
	if r, err = ParseRelease(block.Plaintext); err != nil {
		return nil, "", err
	}
	return r, key, r.valid(now)
}

// readKeys reads a keyring. Keys of kinds that are not known are passed over, as gpgv does.
func readKeys(data []byte) (openpgp.EntityList, error) {
	if bytes.Contains(data, []byte("-----BEGIN PGP")) {
		return readArmored(data)
	}
	return openpgp.ReadKeyRing(bytes.NewReader(data))
}

// readArmored reads all armored blocks of a file.
func readArmored(data []byte) (all openpgp.EntityList, err error) {
	const begin = "-----BEGIN PGP"
	for n, part := range bytes.Split(data, []byte(begin)) {
		if n == 0 {
			continue
		}
		found, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(append([]byte(begin), part...)))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// signer returns the fingerprint of the key that has signed a file. Keys that have expired since do
// not count, and one good signature is enough, as for apt.
func signer(keys openpgp.EntityList, block *clearsign.Block, now time.Time) (string, error) {
	signatures, err := signaturesOf(block)
	if err != nil {
		return "", err
	}
	config := &packet.Config{Time: func() time.Time { return now }}
	var ids []string
	var failure error
	for _, s := range signatures {
		var b bytes.Buffer
		if err := s.Serialize(&b); err != nil {
			return "", err
		}
		entity, err := openpgp.CheckDetachedSignature(keys, bytes.NewReader(block.Bytes), &b, config)
		if err == nil {
			return strings.ToUpper(fmt.Sprintf("%x", entity.PrimaryKey.Fingerprint)), nil
		}
		if s.IssuerKeyId != nil {
			ids = append(ids, fmt.Sprintf("%016X", *s.IssuerKeyId))
		}
		failure = err
	}
	return "", fmt.Errorf("none of its signatures is by a key of the stage (signed by %s: %w): "+
		"add the key of the repository, or name it by signed-by", strings.Join(ids, ", "), failure)
}

// signaturesOf returns the signatures of a file.
func signaturesOf(block *clearsign.Block) (all []*packet.Signature, err error) {
	packets := packet.NewReader(block.ArmoredSignature.Body)
	for len(all) < 16 {
		p, err := packets.Next()
		if err != nil {
			break
		}
		if s, ok := p.(*packet.Signature); ok {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("it has no signature that can be read: use a repository whose InRelease is signed")
	}
	return all, nil
}

// ParseRelease reads a Release file.
func ParseRelease(text []byte) (*Release, error) {
	list := newStanzas(string(text), false)
	s, ok := list.next()
	if !ok {
		return nil, errors.New("it is empty: use a repository that is not damaged")
	}
	if err := s.check("Release"); err != nil {
		return nil, err
	}
	r := &Release{
		Suite: s.get("Suite"), Codename: s.get("Codename"), Origin: s.get("Origin"), Label: s.get("Label"),
		Version: s.get("Version"), NotAutomatic: s.get("NotAutomatic") == "yes",
		ButAutomaticUpgrades: s.get("ButAutomaticUpgrades") == "yes", ByHash: s.get("Acquire-By-Hash") == "yes",
		Architectures: strings.Fields(s.get("Architectures")), Components: strings.Fields(s.get("Components")),
		files: map[string]File{},
	}
	for _, f := range []struct {
		name string
		to   *time.Time
	}{{"Date", &r.Date}, {"Valid-Until", &r.ValidUntil}} {
		v := s.get(f.name)
		if v == "" {
			continue
		}
		var err error
		if *f.to, err = parseDate(v); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return r, r.list(s.get("SHA256"))
}

// parseDate reads a date of a Release file: Sat, 16 May 2026 09:45:21 UTC.
func parseDate(s string) (time.Time, error) {
	for _, form := range []string{"Mon, 2 Jan 2006 15:04:05 MST", "Mon, _2 Jan 2006 15:04:05 MST", time.RFC1123Z} {
		if t, err := time.Parse(form, s); err == nil {
			if name, offset := t.Zone(); offset != 0 || name == "UTC" || name == "GMT" || form == time.RFC1123Z {
				return t.UTC(), nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a date such as Sat, 16 May 2026 09:45:21 UTC", s)
}

// list reads the hashes of the repository's files.
func (r *Release) list(text string) error {
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		size, err := strconv.ParseInt(words[min(1, len(words)-1)], 10, 64)
		if len(words) != 3 || len(words[0]) != 64 || err != nil || size < 0 ||
			strings.Trim(words[0], "0123456789abcdefABCDEF") != "" {
			return fmt.Errorf("SHA256: %q is not a hash, a size and a path", strings.TrimSpace(line))
		}
		name := words[2]
		if path.Clean("/"+name) != "/"+name || strings.ContainsAny(name, "?#%\\") {
			continue
		}
		r.files[name] = File{Path: name, SHA256: strings.ToLower(words[0]), Size: size}
	}
	return nil
}

// valid returns an error for an index that is past its end, or of the future.
func (r *Release) valid(now time.Time) error {
	switch {
	case r.Date.IsZero():
		return errors.New("it has no Date: use a repository that is not damaged")
	case !r.ValidUntil.IsZero() && now.After(r.ValidUntil):
		return fmt.Errorf("it has expired on %s: use a mirror that is current", r.ValidUntil.Format(time.RFC3339))
	case r.Date.After(now.Add(24 * time.Hour)):
		return fmt.Errorf("it is of %s, which is in the future: set the clock", r.Date.Format(time.RFC3339))
	}
	return nil
}

// compressions are those of indexes, in the order in which they are tried.
var compressions = []string{".xz", ".gz", ""}

// Index returns the list of packages of a component for an architecture: the smallest of its forms.
func (r *Release) Index(component, arch string) (File, error) {
	base := path.Join(component, "binary-"+arch, "Packages")
	if component == "" {
		base = "Packages"
	}
	var found File
	for _, ext := range compressions {
		if f, ok := r.files[base+ext]; ok && (found.Path == "" || f.Size < found.Size) {
			found = f
		}
	}
	if found.Path == "" {
		if len(r.Components) > 0 && component != "" && !slices.ContainsFunc(r.Components, func(c string) bool {
			return path.Base(c) == path.Base(component)
		}) {
			return found, fmt.Errorf("the repository has no component %s: it has %s", component,
				strings.Join(r.Components, ", "))
		}
		return found, fmt.Errorf("the repository has no packages for %s: it has %s", arch,
			strings.Join(r.Architectures, ", "))
	}
	if r.ByHash {
		found.ByHash = path.Join(path.Dir(found.Path), "by-hash", "SHA256", found.SHA256)
	}
	return found, nil
}
