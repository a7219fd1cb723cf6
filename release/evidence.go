package release

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
)

// refuseSigning refuses, before anything is built, what is never signed.
func refuseSigning(p *product.Product, o Options) error {
	switch {
	case o.Signer == nil:
		return nil
	case p.Snapshot():
		return fmt.Errorf("signing %s: a snapshot is not signed, because a signature counts wherever its image turns up, and a snapshot may have stub bases: name a registry with -registry, or leave out -key", p.Title())
	case len(p.Selected) > 0:
		return fmt.Errorf("signing %s: only %v is selected, and a part is not signed: leave out -key here, and give it to merge", p.Title(), p.Selected)
	}
	return nil
}

// refuseStubs refuses to sign images on stub bases.
func refuseStubs(images []lock.Image) error {
	image, child, stub := lock.FirstStub(images)
	if stub == "" {
		return nil
	}
	return fmt.Errorf("signing %s: %s has the base %s, a stub base of snapshots that cannot run: pin the real base in slipway.yaml, or leave out -key", image, child.Platform, stub)
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
		return fmt.Errorf("-builder=%q is not a URI: write one that you own, such as https://github.com/me/product/release", id)
	}
	return nil
}

// prove makes the statement of the release, and with a key signs it and the images, so that the
// push brings the evidence to the registries.
func (c *run) prove(ctx context.Context, prepared *publish.Prepared, manifest []byte, bills []bill) error {
	l, s := prepared.Lock, c.options.Signer
	err := c.builder.Unchanged(ctx) // templates and charts were read since the images were built
	if err != nil {
		return err
	}
	if c.stated, err = c.statement(l, manifest); err != nil || s == nil {
		return err
	}
	if err := refuseStubs(l.Images); err != nil {
		return err
	}
	text, err := c.stated.Encode()
	if err != nil {
		return err
	}
	if err := prepared.Referrers(ctx); err != nil {
		return err
	}
	if s, err = evidence.Reuse(c.store, l, s); err != nil {
		return err
	}
	c.options.Signer = s
	d := evidence.Documents{Statement: text, SBOMs: map[string][]byte{}}
	for _, b := range bills {
		if b.image != "" {
			d.SBOMs[b.image] = b.data
		}
	}
	made, err := evidence.Make(ctx, c.store, l, d, s)
	if err != nil {
		return err
	}
	prepared.Attach(made.Referrers)
	c.signed = made.Provenance
	return nil
}

// writeSigned writes the signed statement, and returns its name; none without a key.
func (c *run) writeSigned() ([]string, error) {
	if c.signed == nil {
		return nil, nil
	}
	if err := disk.Write(filepath.Join(c.out, evidence.SignedProvenance), c.signed, disk.ModeFile); err != nil {
		return nil, fmt.Errorf("writing %s: %w", evidence.SignedProvenance, err)
	}
	return []string{evidence.SignedProvenance}, nil
}

// signSums signs SHA256SUMS and returns the names of the signatures; none without a key.
func (c *run) signSums(ctx context.Context) ([]string, error) {
	s := c.options.Signer
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
		if err == nil {
			err = disk.Write(filepath.Join(c.out, f.name), text, disk.ModeFile)
		}
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", f.name, err)
		}
	}
	return []string{evidence.SumsBundle, evidence.SumsSignature}, nil
}
