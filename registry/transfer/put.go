package transfer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
)

// put is a document and the name it gets.
type put struct {
	*oci.Tree
	ref   name.Reference
	image *target
}

// putManifests puts the manifests of single platforms by digest.
func (p *push) putManifests(ctx context.Context) error {
	var all []put
	listed := map[name.Reference]bool{} // several tags may name one document
	for _, i := range p.images {
		if i.done || i.skipped {
			continue
		}
		for _, m := range i.manifests() {
			ref := i.repo.Digest(m.Desc.Digest.String())
			if !i.has[m.Desc.Digest] && !listed[ref] {
				listed[ref] = true
				all = append(all, put{m, ref, i})
			}
		}
	}
	return p.putAll(ctx, all)
}

// putImages puts images that will get a name by digest: their referrers are put before their
// names are.
func (p *push) putImages(ctx context.Context) error {
	there := map[name.Reference]bool{} // with the manifests of the indexes
	for _, i := range p.images {
		for _, m := range i.manifests() {
			there[i.repo.Digest(m.Desc.Digest.String())] = true
		}
	}
	var all []put
	for _, i := range p.images {
		ref := i.repo.Digest(i.Tree.Desc.Digest.String())
		if !i.done && !i.skipped && !i.ByDigest && !i.Referrer && !i.has[i.Tree.Desc.Digest] && !there[ref] {
			there[ref] = true
			all = append(all, put{i.Tree, ref, i})
		}
	}
	return p.putAll(ctx, all)
}

// putTags puts images under their tags, which are not visible before all else is there. Those
// that the index of another image lists come first: while distribution writes a tag of a
// manifest, it refuses an index that lists the manifest.
func (p *push) putTags(ctx context.Context) error {
	listed := map[name.Reference]bool{}
	for _, i := range p.images {
		for _, m := range i.Tree.Children {
			listed[i.repo.Digest(m.Desc.Digest.String())] = true
		}
	}
	var lists [2][]put
	for _, i := range p.images {
		if _, tagged := i.Ref.(name.Tag); !tagged || i.Referrer || i.done || i.skipped || i.ByDigest {
			continue
		}
		at := 1
		if listed[i.repo.Digest(i.Tree.Desc.Digest.String())] {
			at = 0
		}
		lists[at] = append(lists[at], put{i.Tree, i.Ref, i})
	}
	// Of two pushes that race for their tags, the first tag decides: who finds it taken has put
	// none.
	all := slices.Concat(lists[0], lists[1])
	first, second := min(1, len(all)), max(min(1, len(all)), len(lists[0]))
	for _, some := range [][]put{all[:first], all[first:second], all[second:]} {
		if err := Each(ctx, p.Client, some, p.free); err != nil {
			return err
		}
		if err := p.putAll(ctx, some); err != nil {
			return err
		}
	}
	return Each(ctx, p.Client, all[:first], p.verify)
}

// free asks for a tag again, just before it is put: another push may have taken it since resolve.
// Registries cannot put a tag on a condition, so that a push that takes it in between is only
// seen afterwards, by verify.
func (p *push) free(ctx context.Context, _ int, m put) error {
	have, err := p.Lookup(ctx, m.ref)
	if err != nil || have == nil || have.Digest == m.Desc.Digest || m.image.isSignatureTag() {
		return err
	}
	return fmt.Errorf("another push took the tag while this one sent blobs: %w",
		p.taken([]conflict{{m.image.Image, have.Digest}}))
}

// putAll puts manifests, and then asks for each of them: a success that something between here
// and the registry has made up does not count.
func (p *push) putAll(ctx context.Context, list []put) error {
	if err := Each(ctx, p.Client, list, p.put); err != nil {
		return err
	}
	return Each(ctx, p.Client, list, p.verify)
}

func (c *Client) put(ctx context.Context, _ int, m put) error {
	listed, err := c.putDocument(ctx, m)
	if err == nil && !listed {
		err = c.list(ctx, []put{m})
	}
	return err
}

// putDocument puts a document. A referrer that is not listed is not yet among those of its
// subject.
func (c *Client) putDocument(ctx context.Context, m put) (listed bool, err error) {
	s, err := c.Session(ctx, m.ref.Context())
	if err != nil {
		return false, fmt.Errorf("pushing %s: %w", m.ref, err)
	}
	if listed = m.Subject == nil; listed {
		err = s.Put(ctx, m.ref, m.Desc.MediaType, m.Raw)
	} else {
		listed, err = s.PutReferrer(ctx, m.ref, m.Desc.MediaType, m.Raw)
	}
	if err != nil && refusesSparse(err, m) {
		var lacks []string
		for _, d := range m.image.notInRegistry {
			lacks = append(lacks, oci.PlatformName(d))
		}
		return false, fmt.Errorf("pushing %s: the registry takes an index only with all its platforms, and "+
			"lacks %s (%w): push the bundle for all platforms, or one with these; nothing is sent twice",
			m.ref, strings.Join(lacks, ", "), network.Clean(err))
	}
	return listed, m.failed(err)
}

// list lists referrers of one document under its tag.
func (c *Client) list(ctx context.Context, all []put) error {
	m := all[0]
	s, err := c.Session(ctx, m.ref.Context())
	if err != nil {
		return fmt.Errorf("pushing %s: %w", m.ref, err)
	}
	var add []v1.Descriptor
	for _, m := range all {
		add = append(add, listing(m.Tree))
	}
	return m.failed(s.ListReferrers(ctx, m.ref.Context().Digest(m.Subject.Digest.String()), add))
}

// failed is the error of putting a document; nil for nil.
func (m put) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("pushing %s%s: %w", m.ref, m.about(), network.Clean(err))
}

// about describes a referrer, whose digest nobody knows; "" for an image.
func (m put) about() string {
	if m.Subject == nil {
		return ""
	}
	return fmt.Sprintf(", an artifact of type %q that refers to %s", listing(m.Tree).ArtifactType, m.Subject.Digest)
}

// refusesSparse reports whether a registry did not accept an index because of missing manifests.
func refusesSparse(err error, m put) bool {
	var e *transport.Error
	return len(m.image.notInRegistry) > 0 && m.Desc.MediaType.IsIndex() && errors.As(err, &e) &&
		slices.Contains([]int{
			http.StatusBadRequest, http.StatusNotFound,
			http.StatusConflict, http.StatusUnprocessableEntity,
		}, e.StatusCode)
}

// errLost is the error for a manifest that a registry accepted and then does not have.
var errLost = errors.New("the registry accepted the manifest and does not serve it; something else, " +
	"such as a proxy, may have answered: fix that and push again")

// verify asks for the document that was put. A registry of several machines may take a moment to
// show it.
func (c *Client) verify(ctx context.Context, _ int, m put) error {
	err := c.Settle(ctx, func() (bool, error) {
		have, err := c.Head(ctx, m.ref)
		if absent(err) {
			return false, errLost
		}
		if err != nil {
			return true, network.Clean(err)
		}
		if have.Digest != m.Desc.Digest {
			return false, fmt.Errorf("the registry reports afterwards that it is %s, and %s was pushed: "+
				"another run may push the same name", have.Digest, m.Desc.Digest)
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("pushing %s: %w", m.ref, err)
	}
	return nil
}
