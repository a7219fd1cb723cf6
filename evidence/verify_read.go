package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/signature"
)

// Limits for reading an untrusted material.
const (
	// maxStatements bounds the different bundles of all materials, and their bytes.
	maxStatements     = 8 << 10
	maxStatementBytes = 512 << 20
)

// maxBundles is how many Sigstore bundles of one image and its manifests are read.
var maxBundles = 400 // a variable for the test that has more

// spdxType is the predicate type of a statement with an SPDX document.
const spdxType = "https://spdx.dev/Document"

// reader reads Sigstore bundles, each once, and verifies those that claim to be of the policy's
// keys.
type reader struct {
	policy     Policy
	ahead      map[v1.Hash]*decoded // read before their turn
	blobs      map[v1.Hash]*opened
	bytes      int64
	statements map[*signature.PublicKey][]*statement
	foreign    int            // bundles that claim other keys, or are in another form
	others     map[string]int // artifacts that are not bundles, by type
	absent     int            // bundles that a delta lacks
	unread     []string       // why bundles were counted as foreign, where it may be an attack
	sboms      map[v1.Hash]bool
	claims     map[string]bool // fingerprints that bundles name
}

// opened is a Sigstore bundle that was read.
type opened struct {
	key        *signature.PublicKey // nil: foreign
	provenance *statement
	subjects   map[string]bool // of another statement
	spdx       bool
}

func newReader(p Policy) *reader {
	return &reader{
		policy: p, blobs: map[v1.Hash]*opened{}, statements: map[*signature.PublicKey][]*statement{},
		sboms: map[v1.Hash]bool{}, claims: map[string]bool{}, others: map[string]int{},
	}
}

// readBy returns the keys that have signed a statement.
func (r *reader) readBy() []*signature.PublicKey {
	return slices.DeleteFunc(slices.Clone(r.policy.Keys), func(k *signature.PublicKey) bool {
		return len(r.statements[k]) == 0
	})
}

// read reads the bundles of all images of a material.
func (r *reader) read(m *Material) error {
	for _, i := range m.Images {
		n := 0
		for _, ref := range i.Referrers {
			if ref.Tree.ArtifactType() != signature.BundleType {
				r.others[ref.Tree.ArtifactType()]++
				continue
			}
			if n++; n > maxBundles {
				return fmt.Errorf("%s: %s has more than %d Sigstore bundles: remove those that are not needed",
					m.From, i.Name, maxBundles)
			}
			if err := r.referrer(m, ref); err != nil {
				return fmt.Errorf("%s: %s: %w", m.From, i.Name, err)
			}
		}
	}
	return nil
}

// referrer reads one bundle, unless it was read before, and records its subject.
func (r *reader) referrer(m *Material, ref bundle.Referrer) error {
	d, ok := sigstore(ref.Tree)
	if !ok {
		r.foreign++
		return nil
	}
	subject := ref.Tree.Subject.Digest
	o, err := r.blob(m, d)
	switch {
	case err != nil:
		return err
	case o == nil || o.key == nil:
		return nil
	case o.provenance != nil:
		o.provenance.attached[attachment{m.From, subject}] = true
		return nil
	case !o.subjects[subject.Hex]:
		return fmt.Errorf("a statement of %s refers to %s and is about something else: it was exchanged",
			o.key.Fingerprint(), subject)
	}
	if o.spdx {
		r.sboms[subject] = true
	}
	return nil
}

// sigstore returns the Sigstore bundle of a referrer, if it has one.
func sigstore(t *oci.Tree) (v1.Descriptor, bool) {
	if len(t.Layers) != 1 || string(t.Layers[0].MediaType) != signature.BundleType || t.Subject == nil {
		return v1.Descriptor{}, false
	}
	return t.Layers[0], true
}

// blob reads a bundle; nil for one that the material omits on purpose.
func (r *reader) blob(m *Material, d v1.Descriptor) (*opened, error) {
	if o, ok := r.blobs[d.Digest]; ok {
		return o, nil
	}
	if d.Size > signature.MaxBundle {
		return nil, fmt.Errorf("the Sigstore bundle %s has %d bytes: %d MiB are read at most", d.Digest,
			d.Size, signature.MaxBundle>>20)
	}
	if r.bytes += d.Size; r.bytes > maxStatementBytes || len(r.blobs) == maxStatements {
		return nil, fmt.Errorf("there are more than %d Sigstore bundles, or more than %d MiB of them",
			maxStatements, maxStatementBytes>>20)
	}
	was, ok := r.ahead[d.Digest]
	if !ok || was.err != nil { // another material may have it
		was = r.policy.load(m, d)
	}
	if errors.Is(was.err, oci.ErrAbsent) {
		r.absent++
		return nil, nil
	}
	o, err := r.take(d.Digest, was)
	if err == nil {
		r.blobs[d.Digest] = o
	}
	return o, err
}

// decoded is a Sigstore bundle after decoding. Nothing of it is in a report before its turn.
type decoded struct {
	*opened

	claim  string // fingerprint of the key that it names
	unread error  // why it is not a bundle that slipway writes
	err    error
}

// load reads a bundle of a material.
func (p Policy) load(m *Material, d v1.Descriptor) *decoded {
	f, err := m.Open(d.Digest)
	if err != nil {
		return &decoded{err: err}
	}
	defer f.Close()
	text := bytes.NewBuffer(make([]byte, 0, d.Size+bytes.MinRead)) // so that it does not grow
	if _, err := text.ReadFrom(io.LimitReader(f, d.Size+1)); err != nil {
		return &decoded{err: fmt.Errorf("reading the Sigstore bundle %s: %w", d.Digest, err)}
	}
	return p.decode(d.Digest, text.Bytes())
}

// take records a decoded bundle.
func (r *reader) take(h v1.Hash, d *decoded) (*opened, error) {
	if d.claim != "" {
		r.claims[d.claim] = true
	}
	switch {
	case d.err != nil:
		return nil, d.err
	case d.unread != nil && len(r.unread) < 3:
		r.unread = append(r.unread, fmt.Sprintf("%s is not read: %s", h, d.unread))
	}
	if d.key == nil {
		r.foreign++
	} else if d.provenance != nil {
		r.statements[d.key] = append(r.statements[d.key], d.provenance)
	}
	return d.opened, nil
}

// decode verifies a bundle that names one of the keys. Nothing of another one is believed.
func (p Policy) decode(h v1.Hash, text []byte) *decoded {
	d := &decoded{opened: &opened{}}
	b, err := signature.Parse(text)
	if err != nil {
		d.unread = err
		return d
	}
	if key, err := b.Fingerprint(); err == nil {
		d.claim = key
	}
	at := slices.IndexFunc(p.Keys, func(k *signature.PublicKey) bool { return k.Hint() == b.Hint() })
	if at >= 0 {
		d.opened, d.err = verified(h, b, p.Keys[at])
	}
	return d
}

// verified verifies a bundle that names a key.
func verified(h v1.Hash, b *signature.Bundle, k *signature.PublicKey) (*opened, error) {
	payload, err := b.Statement(k)
	if err != nil {
		return nil, fmt.Errorf("the Sigstore bundle %s names the key %s: %w", h, k.Fingerprint(), err)
	}
	o := &opened{key: k}
	typ, subjects, err := subjectsOf(payload)
	if err != nil {
		return nil, fmt.Errorf("the statement in %s: %w", h, err)
	}
	if typ != provenance.PredicateType {
		o.subjects, o.spdx = subjects, typ == spdxType
		return o, nil
	}
	s, err := provenance.Decode(payload)
	if err != nil {
		return nil, fmt.Errorf("the statement in %s: %w", h, err)
	}
	o.provenance = &statement{Statement: s, blob: h, attached: map[attachment]bool{}}
	return o, nil
}

// subjectsOf returns the predicate type and the SHA-256 of the subjects of a verified statement,
// and stops reading once it has both, since the predicate may be a large document.
func subjectsOf(payload []byte) (predicateType string, subjects map[string]bool, err error) {
	d := json.NewDecoder(bytes.NewReader(payload))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", nil, errStatement
	}
	typed := false
	for !typed || subjects == nil {
		if !d.More() {
			return "", nil, errors.New("it has no subject or no predicateType")
		}
		key, err := d.Token()
		if err != nil {
			return "", nil, errStatement
		}
		switch key {
		case "predicateType":
			err, typed = d.Decode(&predicateType), true
		case "subject":
			subjects, err = readSubjects(d)
		default:
			err = d.Decode(new(json.RawMessage))
		}
		if err != nil {
			return "", nil, errStatement
		}
	}
	return output.Line(predicateType), subjects, nil
}

var errStatement = errors.New("it is not an in-toto statement")

// readSubjects reads the subjects of a statement.
func readSubjects(d *json.Decoder) (map[string]bool, error) {
	var list []struct {
		Digest struct {
			SHA256 string `json:"sha256"`
		} `json:"digest"`
	}
	if err := d.Decode(&list); err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, s := range list {
		all[s.Digest.SHA256] = true
	}
	return all, nil
}
