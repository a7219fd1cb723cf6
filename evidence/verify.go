// Package evidence signs and verifies releases: by a signed statement that names every image,
// manifest, chart and file, SBOMs, and signatures, as referrers of the images and as files.
//
// [Verify] checks images against the statement before anything of them is used: in bundles,
// volumes, deltas, extracted layouts and registries. [VerifyDir] checks a directory with the
// files of a release. Everything that they read is untrusted but for the public keys. Neither
// needs a network or a clock.
package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/platform"
)

// Policy is what an operator demands.
type Policy struct {
	Keys []*signature.PublicKey
	// Threshold is how many of the keys must have signed a statement; 0 is 1.
	Threshold int
}

// Check reports a policy that no release can meet.
func (p Policy) Check() error {
	for n, k := range p.Keys {
		if slices.ContainsFunc(p.Keys[:n], k.Equal) {
			return fmt.Errorf("-key names %s twice: two signatures must be of two keys", k.Fingerprint())
		}
	}
	switch {
	case len(p.Keys) == 0:
		return errors.New("-key is missing: name the public key of the maintainer")
	case p.Threshold < 0 || p.Threshold > len(p.Keys):
		return fmt.Errorf("-threshold=%d needs as many keys: -key names %d", p.Threshold, len(p.Keys))
	}
	return nil
}

func (p Policy) threshold() int { return max(p.Threshold, 1) }

// Material has the images to be verified, with their referrers. All of it is untrusted.
type Material struct {
	From string // what messages call it: a file, a registry
	// Product, Version and Created are those of the release, by the material itself.
	Product, Version string
	Created          time.Time
	// Anonymous means that it does not name its release, as an extracted image.
	Anonymous bool
	// Platform is the platform of a bundle; zero is all platforms.
	Platform platform.Platform
	// Omitted are the names of images that a bundle says that it omits.
	Omitted []string
	// Snapshot means that the material is of a snapshot, or was built on stub bases.
	Snapshot bool
	Images   []bundle.Image
	// Open opens a blob of a referrer and compares it with its digest. Where the material leaves
	// it out on purpose, as a delta does, the error wraps oci.ErrAbsent.
	Open func(v1.Hash) (io.ReadCloser, error)
}

// FromBundle returns the material of a bundle or delta. Blobs that it lacks may be in the others.
func FromBundle(path string, b *bundle.Bundle, others ...*bundle.Bundle) Material {
	c := b.Contents()
	var omitted []string
	for _, o := range c.Omitted {
		omitted = append(omitted, o.Name)
	}
	return Material{
		From: path, Product: c.Product, Version: c.Version, Created: c.Created, Platform: c.Platform, Omitted: omitted,
		Snapshot: c.Snapshot || c.StubBases, Images: c.Images,
		Open: func(h v1.Hash) (io.ReadCloser, error) {
			return bundle.OpenBlob(h, append([]*bundle.Bundle{b}, others...)...)
		},
	}
}

// FromLayout returns the material of a directory that airgap extract wrote.
func FromLayout(dir string, l *bundle.ImageLayout) Material {
	return Material{From: dir, Anonymous: true, Images: []bundle.Image{l.Image}, Open: l.Open}
}

// Verify checks that every image of all materials is named, by its digest and under its very name,
// in one statement that as many keys as the policy asks for have signed, and that every
// third-party image is one that the statement lists. No layers are read but those of referrers. The
// error has a sentence for each problem, and comes without a report.
//
// Statements are paths of files with signed statements besides those in referrers of the images.
func Verify(all []Material, p Policy, statements ...string) (*Report, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := sameRelease(all); err != nil {
		return nil, err
	}
	r := newReader(p)
	if err := r.files(statements); err != nil {
		return nil, err
	}
	r.lookAhead(all)
	for n := range all {
		if err := r.read(&all[n]); err != nil {
			return nil, err
		}
	}
	signed, err := p.decide(all, r)
	if err != nil {
		return nil, err
	}
	return newReport(all, p, r, signed), nil
}

// sameRelease checks that the materials are of one release, as they state.
func sameRelease(all []Material) error {
	for _, m := range all {
		switch first := all[0]; {
		case m.Snapshot:
			return fmt.Errorf("%s: it is of a snapshot, which is never signed: take a release", m.From)
		case m.Anonymous || first.Anonymous:
		case m.Product != first.Product || m.Version != first.Version || !m.Created.Equal(first.Created):
			return fmt.Errorf("%s is of %s, %s of %s: verify the files of one release together",
				first.From, first.release(), m.From, m.release())
		}
	}
	return nil
}

func (m Material) release() string { return release(m.Product, m.Version, m.Created) }

func release(name, version string, created time.Time) string {
	return fmt.Sprintf("%.200q %.200q of %s", name, version, created.UTC().Format(time.RFC3339))
}

// signedStatement is a statement that one of the keys has signed, and that names everything.
type signedStatement struct {
	key *signature.PublicKey
	*statement
}

// decide returns the statements of the keys that vouch for everything. The error states why there
// are too few.
func (p Policy) decide(all []Material, r *reader) ([]signedStatement, error) {
	var good []signedStatement
	var missing []error
	for _, k := range p.Keys {
		s, err := r.statementOf(k, all)
		if err != nil {
			missing = append(missing, err)
			continue
		}
		good = append(good, signedStatement{k, s})
	}
	if len(good) < p.threshold() {
		if len(p.Keys) == 1 {
			return nil, errors.Join(missing...)
		}
		return nil, errors.Join(
			append([]error{fmt.Errorf("%d of %d keys vouch for it, and -threshold asks for %d",
				len(good), len(p.Keys), p.threshold())}, missing...)...)
	}
	for _, s := range good[1:] {
		if err := agree(good[0].Statement, s.Statement); err != nil {
			return nil, fmt.Errorf("the statements of %s and %s differ: %w", good[0].key.Fingerprint(),
				s.key.Fingerprint(), err)
		}
	}
	return good, nil
}

// statementOf returns the statement by which a key vouches for all materials.
func (r *reader) statementOf(k *signature.PublicKey, all []Material) (*statement, error) {
	signed := r.statements[k]
	if len(signed) == 0 {
		return nil, r.noStatement(k, all)
	}
	var other, uncovered error
	for _, s := range signed {
		if err := s.isOf(all); err != nil {
			other = cmp.Or(other, err)
			continue
		}
		err := s.covers(all)
		if err == nil {
			return s, nil
		}
		uncovered = cmp.Or(uncovered, err)
	}
	return nil, cmp.Or(uncovered, other) // a statement of this release says more than others
}

// onlyListed reports whether all images are of third parties, to which no statement refers.
func onlyListed(all []Material) bool {
	return !slices.ContainsFunc(all, func(m Material) bool {
		return m.Anonymous || slices.ContainsFunc(m.Images, func(i bundle.Image) bool { return i.Listed == "" })
	})
}

// noStatement explains why a key has not signed a statement.
func (r *reader) noStatement(k *signature.PublicKey, all []Material) error {
	from := all[0].From
	switch {
	case onlyListed(all):
		return fmt.Errorf("%s has only third-party images, to which no statement refers: "+
			"name the other volumes as well, or the %s of the release", from, SignedProvenance)
	case len(r.unread) > 0:
		return fmt.Errorf("%s has no statement that %s has signed; %s", from,
			k.Fingerprint(), strings.Join(r.unread, "; "))
	case r.foreign > 0 || len(r.readBy()) > 0:
		return fmt.Errorf("%s has no statement that %s has signed: what it has is signed by other keys: "+
			"ask the maintainer which key signs", from, k.Fingerprint())
	}
	return fmt.Errorf("%s has no signed statement: the release was not signed, or its evidence was removed: "+
		"take it from the maintainer again", from)
}
