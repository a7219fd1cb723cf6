package audit

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lint"
)

// Bounds of what is read of the evidence of one image: the documents, of which each takes two
// requests, and the entries whose evidence is looked for.
const (
	maxProofs  = 8
	maxEntries = 64
)

// beside adds what the repository has beside an image: evidence, if it is an index, and what other
// tags name.
func (r Reader) beside(ctx context.Context, ref name.Reference, i *lint.Index) error {
	if i.Raw == nil {
		return ctx.Err()
	}
	page, fault := r.memory.tags.Of(ctx, r.Client, ref.Context())
	i.Tags = r.twins(ctx, ref, page, i)
	if !i.Single {
		index := ref.Context().Digest(i.Desc.Digest.String())
		i.Evidence, _ = r.memory.evidence.Do(index.String(), func() (*lint.Evidence, error) {
			s := search{Reader: r, ctx: ctx, repo: ref.Context(), page: page, index: i}
			return s.all(fault), nil
		})
	}
	return ctx.Err()
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

// all finds the evidence of the index, and that of its entries if it has any itself.
func (s *search) all(fault error) *lint.Evidence {
	e := &lint.Evidence{Fault: fault}
	docs, err := s.find(-1, s.index.Desc.Digest)
	if err == nil && len(docs) > 0 && len(s.index.Entries) <= maxEntries {
		var more []document
		if more, err = s.entries(); err == nil {
			docs, e.Entries = append(docs, more...), fault == nil
		}
	}
	if err != nil {
		e.Fault = network.Clean(err)
	}
	docs = append(docs, attestations(s.index, s.manifests())...)
	e.Proofs = read(docs, source{configs: s.Client.Configs(s.ctx, s.repo)}, s.Jobs)
	return e
}

// manifests reads documents without keeping them: evidence is looked for once.
func (s *search) manifests() oci.Get { return s.Client.Manifests(s.ctx, s.repo) }

// entries finds the evidence of the images that the index lists.
func (s *search) entries() ([]document, error) {
	found := make([][]document, len(s.index.Entries))
	var g errgroup.Group
	g.SetLimit(max(1, s.Jobs))
	for n, e := range s.index.Entries {
		if e.IsAttestation() || e.Missing {
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
		there[e.Desc.Digest] = !e.Missing
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
