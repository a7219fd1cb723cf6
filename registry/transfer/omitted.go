package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/signature"
)

// OmittedReferrer is a referrer that a push omitted, as its [oci.ReferrerRule] permits.
type OmittedReferrer struct {
	Image        string  `json:"image"`      // that it is about
	Repository   string  `json:"repository"` // registry/repository that does not get it
	ArtifactType string  `json:"artifactType"`
	Digest       v1.Hash `json:"digest"`
	Subject      v1.Hash `json:"subject,omitzero"` // the document that it refers to
	Tag          string  `json:"tag,omitempty"`    // of cosign, in place of a subject
	Reason       string  `json:"reason"`
}

// String describes the referrer and why it is omitted, in a line.
func (o OmittedReferrer) String() string {
	about := o.Subject.String()
	if o.Tag != "" {
		about = "what its tag " + o.Tag + " names"
	}
	return fmt.Sprintf("%s@%s, an artifact of type %q that refers to %s: %s",
		o.Repository, o.Digest, o.ArtifactType, about, o.Reason)
}

// IsEvidence reports whether a referrer may be evidence of the release that an image is of: a
// Sigstore bundle about the image or a child of its index, or cosign's list of signatures of one
// of them. Only the key tells which of these the release has made, so that all of them count.
func IsEvidence(r oci.Referrer, t *oci.Tree, image []v1.Hash) bool {
	if r.Tag != "" {
		return slices.ContainsFunc(image, func(h v1.Hash) bool { return r.Tag == h.Algorithm+"-"+h.Hex+".sig" })
	}
	return t.Subject != nil && t.ArtifactType() == signature.BundleType && slices.Contains(image, t.Subject.Digest)
}

// omit omits a referrer.
func (i *target) omit(reason string) { i.skipped, i.omitted = true, reason }

// describe describes a referrer that is omitted. ok is false for a document below one, which
// refers to nothing.
func (i *target) describe() (o OmittedReferrer, ok bool) {
	o = OmittedReferrer{
		Image: i.Name, Repository: i.repo.Name(), Digest: i.Tree.Desc.Digest, Reason: i.omitted,
		ArtifactType: listing(i.Tree).ArtifactType,
	}
	if tag, tagged := i.Ref.(name.Tag); tagged {
		o.Tag = tag.TagStr()
	} else if i.Tree.Subject != nil {
		o.Subject = i.Tree.Subject.Digest
	}
	return o, o.Tag != "" || o.Subject != v1.Hash{}
}

// omitted lists the omitted referrers, each once.
func (p *push) omitted() (all []OmittedReferrer) {
	for _, i := range p.images {
		if o, ok := i.describe(); i.omitted != "" && ok && !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	return all
}

// sayOmitted reports how many referrers are not sent to any destination.
func (s *shared) sayOmitted(pushes []*push) {
	all := map[v1.Hash]bool{}
	for _, p := range pushes {
		for _, o := range p.omitted() {
			all[o.Digest] = true
		}
	}
	if len(all) > 0 {
		s.o.Progress.Printf("leaving out %d artifacts that refer to images: -referrers=%s", len(all), oci.ReferrersNone)
	}
}

// putGroup puts the referrers of one document, and omits those that the registry refuses, if it
// may: all that it does not list where the tag that lists them cannot move. A refusal of a
// required referrer is reported first.
func (p *push) putGroup(ctx context.Context, group []put) error {
	required := func(m put) bool { return m.image.Required }
	optional := slices.DeleteFunc(slices.Clone(group), required)
	group = append(slices.DeleteFunc(group, func(m put) bool { return !required(m) }), optional...)
	var taken, unlisted []put
	for _, m := range group {
		switch listed, err := p.putDocument(ctx, m); {
		case err != nil:
			if err = p.refused(m.image, err); err != nil {
				return err
			}
		case listed:
			taken = append(taken, m)
		default:
			unlisted = append(unlisted, m)
		}
	}
	if len(unlisted) > 0 {
		refusal := p.list(ctx, unlisted)
		for _, m := range unlisted {
			if refusal == nil {
				taken = append(taken, m)
			} else if err := p.refused(m.image, refusal); err != nil {
				return err
			}
		}
	}
	return Each(ctx, p.Client, taken, p.verify)
}

// refused handles the error of putting a referrer: it omits the referrer, or returns the error.
func (p *push) refused(i *target, err error) error {
	switch rule := p.options.Referrers; {
	case !network.Refuses(err):
		return err
	case i.Required:
		remedy := "let it take manifests with a subject, or use another registry"
		if network.Unlisted(err) {
			remedy = "let the tags sha256-* move in " + i.repo.Name()
		}
		return fmt.Errorf("%w: it is evidence of the release, and nothing gets its tag before the registry has it: %s",
			err, remedy)
	case rule == oci.ReferrersTry:
		p.leaveOut(i, errors.Unwrap(err).Error()) // without the name, which is next to it
		return nil
	case rule == oci.ReferrersRequire:
		return fmt.Errorf("%w: -referrers=%s goes on without what the registry refuses", err, oci.ReferrersTry)
	}
	return err
}

// leaveOut omits a referrer, and reports it.
func (p *push) leaveOut(i *target, reason string) {
	i.omit(reason)
	if o, ok := i.describe(); ok {
		p.o.Progress.Printf("leaving out %s", o)
	}
}

// withoutSubject omits those of the referrers whose subject, or a document that they list, was
// omitted, and returns the others.
func (p *push) withoutSubject(waiting []*target) (rest []*target) {
	lacks := map[name.Digest]bool{}
	for _, i := range p.images {
		if i.omitted != "" {
			lacks[i.repo.Digest(i.Tree.Desc.Digest.String())] = true
		}
	}
	for _, i := range waiting {
		of := func(t *oci.Tree) bool { return lacks[i.repo.Digest(t.Desc.Digest.String())] }
		subject := i.Tree.Subject != nil && lacks[i.repo.Digest(i.Tree.Subject.Digest.String())]
		if !i.Required && (subject || slices.ContainsFunc(i.Tree.Children, of)) {
			p.leaveOut(i, "its subject, or a document that it lists, is omitted")
			continue
		}
		rest = append(rest, i)
	}
	return rest
}
