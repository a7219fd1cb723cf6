package debian

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"
)

// Release is what a Release or InRelease file says about a suite of a repository.
type Release struct {
	Origin, Label, Suite, Codename, Version string

	Date                 time.Time
	ValidUntil           time.Time // zero if it is valid for ever
	Architectures        []string
	Components           []string
	NotAutomatic         bool
	ButAutomaticUpgrades bool

	SHA256      string // of the file as it was read
	Fingerprint string // of the key that signed it, or nothing

	name   string
	byHash bool
	noAll  bool // architecture-independent packages are in the indexes of all architectures
	files  map[string]releaseFile
}

// releaseFile is a file that a Release file names.
type releaseFile struct {
	size   int64
	sha256 string
}

// Check is what a Release file must fulfill, besides its signature.
type Check struct {
	Now          time.Time // Valid-Until is compared with it
	NoValidUntil bool      // an expired file is accepted, as Acquire::Check-Valid-Until "false" says
	// NotBefore is the date of the file that was used before. An older one is refused.
	NotBefore time.Time
}

// signedMessage is how an InRelease file must begin, so that nothing before it is taken for
// signed.
const signedMessage = "-----BEGIN PGP SIGNED MESSAGE-----"

// VerifyRelease reads an InRelease file, which is signed in the clear. name is its URL, for
// messages.
func VerifyRelease(name string, data []byte, keys *Keyring, check Check) (*Release, error) {
	block, rest := clearsign.Decode(data)
	if block == nil || len(bytes.TrimSpace(rest)) > 0 || !bytes.HasPrefix(data, []byte(signedMessage)) {
		return nil, unsigned(name)
	}
	f, err := keys.verify(block.Bytes, block.ArmoredSignature.Body, check.Now)
	if err != nil {
		return nil, fmt.Errorf("verifying %s: %w: name the repository's key in Signed-By", name, err)
	}
	return readRelease(name, data, block.Plaintext, f, check)
}

func unsigned(name string) error {
	return fmt.Errorf("verifying %s: it is not signed: use a signed repository, or "+
		"name this one below packages.unsigned in slipway.yaml", name)
}

// VerifyDetached reads a Release file whose signature is in a file of its own, Release.gpg.
func VerifyDetached(name string, data, signature []byte, keys *Keyring, check Check) (*Release, error) {
	if len(bytes.TrimSpace(signature)) == 0 {
		return nil, unsigned(name)
	}
	if block, err := armor.Decode(bytes.NewReader(signature)); err == nil {
		var b bytes.Buffer
		if _, err := b.ReadFrom(block.Body); err != nil {
			return nil, fmt.Errorf("verifying %s: reading its signature: %w", name, err)
		}
		signature = b.Bytes()
	}
	f, err := keys.verify(data, bytes.NewReader(signature), check.Now)
	if err != nil {
		return nil, fmt.Errorf("verifying %s: %w: name the repository's key in Signed-By", name, err)
	}
	return readRelease(name, data, data, f, check)
}

// ReadUnsigned reads a Release file of a source that is marked as trusted: its signature, if it
// has one, is not looked at.
func ReadUnsigned(name string, data []byte, check Check) (*Release, error) {
	text := data
	if block, _ := clearsign.Decode(data); block != nil {
		text = block.Plaintext
	}
	return readRelease(name, data, text, "", check)
}

func readRelease(name string, data, text []byte, fingerprint string, check Check) (*Release, error) {
	s, ok := newStanzas(string(text), false).next()
	if !ok {
		return nil, fmt.Errorf("reading %s: it is empty: use another mirror", name)
	}
	sum := sha256.Sum256(data)
	r := &Release{
		Origin: s.get("Origin"), Label: s.get("Label"), Suite: s.get("Suite"), Codename: s.get("Codename"),
		Version: s.get("Version"), Architectures: strings.Fields(s.get("Architectures")),
		Components: strings.Fields(s.get("Components")), NotAutomatic: s.get("NotAutomatic") == "yes",
		ButAutomaticUpgrades: s.get("ButAutomaticUpgrades") == "yes", SHA256: hex.EncodeToString(sum[:]),
		Fingerprint: fingerprint, name: name, byHash: s.get("Acquire-By-Hash") == "yes",
		noAll: strings.Contains(s.get("No-Support-for-Architecture-all"), "Packages"), files: map[string]releaseFile{},
	}
	for field, to := range map[string]*time.Time{"Date": &r.Date, "Valid-Until": &r.ValidUntil} {
		value, ok := s.Field(field)
		if !ok {
			continue
		}
		t, err := parseDate(value)
		if err != nil {
			return nil, fmt.Errorf("reading %s: its field %s has %q, which is not a date", name, field, short(value))
		}
		*to = t
	}
	if err := r.readFiles(s); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return r, r.check(check)
}

// parseDate reads the dates that Release files have.
func parseDate(value string) (time.Time, error) {
	var first error
	for _, layout := range []string{
		"Mon, _2 Jan 2006 15:04:05 MST", "Mon, _2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 -0700",
		"Mon, 2 Jan 2006 15:04:05 MST",
	} {
		t, err := time.Parse(layout, value)
		if err == nil {
			return t.UTC(), nil
		}
		if first == nil {
			first = err
		}
	}
	return time.Time{}, first
}

// check compares the dates.
func (r *Release) check(c Check) error {
	day := func(t time.Time) string { return t.UTC().Format(time.RFC1123) }
	switch {
	case !r.ValidUntil.IsZero() && !c.NoValidUntil && c.Now.After(r.ValidUntil):
		return fmt.Errorf("%s was valid until %s: use a mirror that is up to date", r.name, day(r.ValidUntil))
	case r.Date.After(c.Now.Add(10*time.Second)) && !c.Now.IsZero():
		return fmt.Errorf("%s is of %s, in the future: correct the clock", r.name, day(r.Date))
	case !c.NotBefore.IsZero() && r.Date.Before(c.NotBefore):
		return fmt.Errorf("%s is of %s, older than that of %s which was used before: use a mirror that is up to date",
			r.name, day(r.Date), day(c.NotBefore))
	}
	return nil
}

// readFiles reads the section of SHA-256 digests.
func (r *Release) readFiles(s Stanza) error {
	section, ok := s.Field("SHA256")
	if !ok {
		return fmt.Errorf("it has no SHA256 section: the repository must publish SHA-256 digests")
	}
	for line := range strings.SplitSeq(section, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) != 3 || len(words[0]) != 2*sha256.Size {
			return fmt.Errorf("its SHA256 section has the line %q: a line is a digest, a size and a path", short(line))
		}
		size, err := strconv.ParseInt(words[1], 10, 64)
		if _, hexErr := hex.DecodeString(words[0]); err != nil || hexErr != nil || size < 0 {
			return fmt.Errorf("its SHA256 section has the line %q: a line is a digest, a size and a path", short(line))
		}
		r.files[words[2]] = releaseFile{size, strings.ToLower(words[0])}
	}
	return nil
}
