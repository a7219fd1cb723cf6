package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/evidence/sbom"
	"github.com/slipway-dev/slipway/image/inventory"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// refuseSigning returns an error for a release that is never signed, before anything is built.
func refuseSigning(p *product.Product, o Options) error {
	switch {
	case o.Signer == nil:
		return nil
	case p.Snapshot():
		return fmt.Errorf("signing %s: a snapshot is not signed, because a signature counts wherever its image "+
			"turns up, and a snapshot may have stub bases: name a registry with -registry, or omit -sign",
			p.Title())
	case len(p.Selected) > 0:
		return fmt.Errorf("signing %s: only %v is selected, and a part is not signed: "+
			"omit -sign here, and give it to merge", p.Title(), p.Selected)
	}
	return nil
}

// refuseStubs refuses to sign images on stub bases.
func refuseStubs(images []lock.Image) error {
	image, child, stub := lock.FirstStub(images)
	if stub == "" {
		return nil
	}
	return fmt.Errorf("signing %s: %s has the base %s, a stub base of snapshots that cannot run: "+
		"pin the real base in slipway.yaml, or omit -sign", image, child.Platform, stub)
}

// refuseStubParts does so for parts, before they are joined.
func (c *run) refuseStubParts(parts []*lock.Part) error {
	for _, p := range parts {
		l, err := p.Local()
		if err != nil {
			return err
		}
		if c.options.Signer != nil {
			if err := refuseStubs(l.Images); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckBuilder checks the URI that names who builds, in a statement.
func CheckBuilder(id string) error {
	if u, err := url.Parse(id); id != "" && (err != nil || !u.IsAbs() || u.Host == "" && u.Opaque == "") {
		return fmt.Errorf("-builder=%q is not a URI: write one that you own, "+
			"such as https://github.com/me/product/release", id)
	}
	return nil
}

// bill is a bill of materials.
type bill struct {
	name  string // in dist/
	image string // that it is of; "" for that of the release
	data  []byte
}

// bills are the bills of materials of a release: one for each image, and one for the release.
type bills struct {
	documents []bill
	summary   sbom.Summary // of the bill of the release, for the page
}

// bills makes the bills of materials of a release whose charts are in the store.
func (c *run) bills(ctx context.Context, l *lock.Lock, has *lock.Inventory) (all bills, err error) {
	if has == nil {
		return all, errors.New("writing the bills of materials: a part has no inventory: build it again")
	}
	v := *has
	v.Contents = slices.Clone(v.Contents)
	for _, chart := range l.Charts {
		sum, err := inventory.SHA512(ctx, c.store, chart.File.Digest)
		if err != nil {
			return all, err
		}
		if err := v.Add(
			&lock.Inventory{Contents: []lock.Content{{Digest: chart.File.Digest, SHA512: sum}}}); err != nil {
			return all, err
		}
	}
	all.documents = make([]bill, len(l.Images)+1)
	err = each(len(all.documents), func(n int) (err error) {
		b := &all.documents[n]
		if n < len(l.Images) {
			b.image = l.Images[n].Name
			b.name = distfile.SPDX(b.image)
			b.data, err = sbom.SPDX(l, &v, b.image)
			return err
		}
		b.name = distfile.CycloneDX(l.Name, l.Version)
		if b.data, err = sbom.CycloneDX(l, &v); err == nil {
			all.summary, err = sbom.Summarize(b.data, l)
		}
		return err
	})
	return all, err
}

// proof is the evidence of a release.
type proof struct {
	statement *provenance.Statement
	text      []byte            // of the statement
	signed    []byte            // the Sigstore bundle with the statement; nil without a key
	signer    *signature.Signer // which reuses signatures; nil without a key
	keys      []string          // the fingerprint of the key of signed
	referrers [][]oci.Referrer  // the evidence of each image and chart, for [publish.Prepared.Attach]
}

// prove makes the statement of the release, and with a key signs it and the images.
func (c *run) prove(ctx context.Context, m made, l *lock.Lock, manifest []byte, all bills) (p proof, err error) {
	if err := m.baseline.Unchanged(ctx); err != nil { // templates and charts were read since the images were built
		return p, err
	}
	if p.statement, err = c.statement(l, m.materials, manifest); err != nil {
		return p, err
	}
	if p.text, err = p.statement.Encode(); err != nil || c.options.Signer == nil {
		return p, err
	}
	if p.signer, err = evidence.Reuse(c.store, l, c.options.Signer); err != nil {
		return p, err
	}
	d := evidence.Documents{Statement: p.text, SBOMs: map[string][]byte{}}
	for _, b := range all.documents {
		if b.image != "" {
			d.SBOMs[b.image] = b.data
		}
	}
	signed, err := evidence.Make(ctx, c.store, l, d, p.signer)
	if err != nil {
		return p, err
	}
	p.signed, p.referrers = signed.Provenance, signed.Referrers
	key, err := evidence.Claim(p.signed)
	p.keys = []string{key}
	return p, err
}

// statement returns the provenance of the release. manifest is release.yaml, nil for none.
func (c *run) statement(l *lock.Lock, materials []lock.Material, manifest []byte) (*provenance.Statement, error) {
	in := provenance.Inputs{
		Materials: materials, Archive: distfile.Inputs(l.Name, l.Version),
		SourceDateEpoch: c.described.SourceDateEpoch, Builder: c.options.Builder,
	}
	if manifest != nil {
		sum := sha256.Sum256(manifest)
		in.Files = append(in.Files, provenance.File{Name: Manifest, SHA256: hex.EncodeToString(sum[:])})
	}
	if manifest == nil && len(l.Images)+len(l.Charts)+len(l.Artifacts) == 0 { // a list of third-party images
		for _, m := range materials {
			if m.URI == in.Archive {
				in.Files = append(in.Files, provenance.File{Name: in.Archive, SHA256: m.SHA256})
			}
		}
	}
	return provenance.Make(l, in)
}

// signSums signs SHA256SUMS and returns the names of the signatures; none without a signer.
func (c *run) signSums(ctx context.Context, s *signature.Signer) (names []string, err error) {
	if s == nil {
		return nil, nil
	}
	sums, err := regular.Read(filepath.Join(c.out, evidence.SumsName))
	if err != nil {
		return nil, fmt.Errorf("signing %s: %w", evidence.SumsName, err)
	}
	for _, f := range []struct {
		name string
		sign func(context.Context, *signature.Signer, []byte) ([]byte, error)
	}{{evidence.SumsBundle, signature.SignFile}, {evidence.SumsSignature, signature.SignPlain}} {
		text, err := f.sign(ctx, s, sums)
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", f.name, err)
		}
		if err := c.write(f.name, text, disk.ModeFile); err != nil {
			return nil, err
		}
		names = append(names, f.name)
	}
	return names, nil
}
