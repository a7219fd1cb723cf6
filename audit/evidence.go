package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/lint"
)

// Bounds of the evidence that is read for one image: the documents, of which each takes two
// requests, and the entries whose evidence is looked for. A release that is signed once has three
// documents for an index and for each of its entries.
const (
	maxProofs  = 64
	maxEntries = 64
)

// neighbors adds the facts of the repository about an image: evidence, if it is an index, and the
// images of other tags.
func (r Reader) neighbors(ctx context.Context, ref name.Reference, i *lint.Index) error {
	if i.Raw == nil {
		return ctx.Err()
	}
	page, err := r.memory.tags.Of(ctx, r.Client, ref.Context())
	switch {
	case err != nil:
		i.Gaps = append(i.Gaps, lint.Gap{
			What: "the tags of " + ref.Context().String(), Read: outcome.Unread, Cause: err,
		})
	case page.Refused != nil:
		i.Gaps = append(i.Gaps, lint.Gap{
			What: "other tags of " + ref.Context().String(), Read: outcome.Unasked, Cause: page.Refused,
		})
	}
	if err := r.twins(ctx, ref, page, i); err != nil {
		i.Gaps = append(i.Gaps, lint.Gap{What: "other tags", Read: outcome.Unread, Cause: network.Clean(err)})
	}
	if i.Single {
		return ctx.Err()
	}
	index := ref.Context().Digest(i.Desc.Digest.String())
	found, _ := r.memory.evidence.Do(index.String(), func() (evidence, error) { // the error is always nil
		s := search{Reader: r, ctx: ctx, repo: ref.Context(), page: page, index: i}
		return s.all(err != nil), nil
	})
	i.Evidence, i.Gaps = found.Evidence, append(i.Gaps, found.gaps...)
	return ctx.Err()
}

// evidence is the evidence of an index, with the gaps in it.
type evidence struct {
	*lint.Evidence

	gaps []lint.Gap
}

// miss adds what could not be read.
func (e *evidence) miss(what string, err error) {
	e.gaps = append(e.gaps, lint.Gap{What: what, Read: outcome.Unread, Cause: network.Clean(err)})
}

// search looks for the evidence of an index in its repository.
type search struct {
	Reader

	ctx   context.Context //nolint:containedctx // of one call
	repo  name.Repository
	page  TagPage
	index *lint.Index
}

// document is a document of evidence, as a list names it.
type document struct {
	lint.Proof

	unknown bool // its list gives no type, so that the document says whether it is a signature
	get     func() (v1.Descriptor, []byte, error)
}

// all finds the evidence of the index, and that of its entries if it has any itself. Without the
// tags of the repository, missing evidence of entries is not reported.
func (s *search) all(withoutTags bool) evidence {
	e := evidence{Evidence: &lint.Evidence{}}
	docs, err := s.find(-1, s.index.Desc.Digest)
	switch {
	case err != nil || len(docs) == 0:
	case len(s.index.Entries) > maxEntries:
		e.skip(fmt.Errorf("the index lists %d images, and that of %d is looked for", len(s.index.Entries), maxEntries))
	default:
		var more []document
		if more, err = s.entries(); err == nil {
			docs, e.Entries = append(docs, more...), !withoutTags
		}
	}
	switch outcome.Of(err) {
	case outcome.Broken:
		e.Fault = network.Clean(err)
	case outcome.Unread, outcome.Absent, outcome.Unasked:
		e.miss("the list of signatures and attestations", err)
	case outcome.There:
	}
	docs = append(docs, attestations(s.index, s.manifests())...)
	if n := len(docs) - maxProofs; n > 0 {
		e.skip(fmt.Errorf("it has %d documents, and the first %d are read", len(docs), maxProofs))
	}
	var failed []error
	e.Proofs, failed = read(docs, source{configs: s.Client.Configs(s.ctx, s.repo)}, s.Jobs)
	for n, err := range failed {
		if err != nil {
			e.miss(e.Proofs[n].Name, err)
		}
	}
	return e
}

// skip adds that evidence was not looked at.
func (e *evidence) skip(why error) {
	e.gaps = append(e.gaps, lint.Gap{What: "evidence", Read: outcome.Unasked, Cause: why})
}

// manifests reads documents without keeping them: evidence is looked for once.
func (s *search) manifests() oci.Get { return s.Client.Manifests(s.ctx, s.repo) }

// entries finds the evidence of the images that the index lists.
func (s *search) entries() ([]document, error) {
	found := make([][]document, len(s.index.Entries))
	var g errgroup.Group
	g.SetLimit(max(1, s.Jobs))
	for n, e := range s.index.Entries {
		if e.IsAttestation() || e.Read == outcome.Absent {
			continue
		}
		g.Go(func() (err error) {
			found[n], err = s.find(n, e.Desc.Digest)
			return err
		})
	}
	err := g.Wait()
	return slices.Concat(found...), err
}

// find lists the evidence of a digest: cosign's tags, and what has it as its subject.
func (s *search) find(entry int, of v1.Hash) ([]document, error) {
	var docs []document
	tag := strings.Replace(of.String(), ":", "-", 1)
	for _, suffix := range suffixes {
		if s.page.Has(tag + suffix) {
			docs = append(docs, s.tagged(entry, of, tag+suffix))
		}
	}
	list, err := s.Client.Referrers(s.ctx, s.repo.Digest(of.String()), s.page.MayHave(tag))
	slices.SortFunc(list, func(a, b v1.Descriptor) int { return cmp.Compare(a.Digest.String(), b.Digest.String()) })
	get := s.manifests()
	for _, d := range list {
		docs = append(docs, document{
			lint.Proof{
				Name: "the referrer " + d.Digest.String(), Entry: entry, Of: of,
				Signature: isSignature(d.ArtifactType) || untyped(d.ArtifactType) && entry >= 0,
			},
			untyped(d.ArtifactType),
			func() (v1.Descriptor, []byte, error) {
				raw, err := get(d)
				return d, raw, err
			},
		})
	}
	return docs, err
}

// suffixes are those of the tags under which cosign keeps evidence of sha256-HEX
// (https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md#discovery).
var suffixes = []string{".sig", ".att", ".sbom"}

// tagged is what a tag of cosign names.
func (s *search) tagged(entry int, of v1.Hash, tag string) document {
	return document{
		lint.Proof{Name: "the tag " + tag, Entry: entry, Of: of, Signature: strings.HasSuffix(tag, ".sig")},
		false,
		func() (v1.Descriptor, []byte, error) {
			d, err := s.Client.Get(s.ctx, s.repo.Tag(tag))
			if err != nil {
				return v1.Descriptor{}, nil, err
			}
			return d.Descriptor, d.Manifest, nil
		},
	}
}

// isSignature reports whether artifacts of a type are signatures.
func isSignature(kind string) bool {
	return strings.HasPrefix(kind, bundleType) || slices.Contains([]string{
		"application/vnd.dev.cosign.artifact.sig.v1+json", string(oci.SimpleSigning),
		"application/vnd.cncf.notary.signature",
	}, kind)
}

// untyped reports whether a list of referrers gives no type, or that of the empty configuration, as
// old clients and some registries do.
func untyped(kind string) bool { return kind == "" || kind == string(oci.EmptyConfig().MediaType) }

// attestations are those of BuildKit that an index lists, of images that are there.
func attestations(i *lint.Index, get oci.Get) (docs []document) {
	there := map[v1.Hash]bool{}
	for _, e := range i.Entries {
		there[e.Desc.Digest] = e.Read != outcome.Absent
	}
	for n, e := range i.Entries {
		about, err := v1.NewHash(e.Desc.Annotations[oci.ReferenceDigest])
		if err != nil || !there[about] || len(docs) == maxEntries {
			continue
		}
		docs = append(docs, document{
			lint.Proof{Name: "the attestation", Entry: n, Of: about},
			false,
			func() (v1.Descriptor, []byte, error) {
				raw, err := get(e.Desc)
				return e.Desc, raw, err
			},
		})
	}
	return docs
}
