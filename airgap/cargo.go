package airgap

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/transfer"
)

// cargo is what bundles hold together: the volumes of one, the bundles of one release for several
// platforms, or a delta and its base.
type cargo struct {
	bundles []*Bundle
	images  []Image // each once, with the children and referrers that any of the bundles has
}

// OpenAny opens a bundle as [Open] does, and a delta, too: [Push] takes both. Whatever else needs
// all layers, which a delta does not have.
func OpenAny(path string) (*Bundle, error) { return openAny(path) }

func load(bundles []*Bundle) (*cargo, error) {
	c := &cargo{bundles: bundles}
	var errs []error
	for _, b := range bundles {
		for _, i := range b.Contents().Images {
			at := slices.IndexFunc(c.images, func(o Image) bool { return o.Name == i.Name })
			switch {
			case at < 0:
				i.Children, i.Referrers = slices.Clone(i.Children), slices.Clone(i.Referrers)
				c.images = append(c.images, i)
				continue
			case c.images[at].Digest != i.Digest:
				errs = append(errs, fmt.Errorf("%s is %s in one bundle and %s in another: push bundles of one release together", i.Name, c.images[at].Digest, i.Digest))
				continue
			}
			has := &c.images[at]
			for _, child := range i.Children {
				if !slices.ContainsFunc(has.Children, func(o Child) bool { return o.Digest == child.Digest }) {
					has.Children = append(has.Children, child)
				}
			}
			for _, r := range i.Referrers {
				if !slices.ContainsFunc(has.Referrers, func(o Referrer) bool { return o.Digest == r.Digest }) {
					has.Referrers = append(has.Referrers, r)
				}
			}
		}
	}
	return c, errors.Join(errs...)
}

// standIn reports whether an image stands on a base that cannot run.
func (c *cargo) standIn() bool {
	return slices.ContainsFunc(c.bundles, func(b *Bundle) bool { return b.Contents().StandIn })
}

// platforms names what the bundles are for.
func (c *cargo) platforms() string {
	var all []string
	for _, b := range c.bundles {
		all = append(all, cmp.Or(b.Contents().Platform.String(), "some platforms"))
	}
	return strings.Join(all, ",")
}

// raw returns an index, a manifest or a configuration.
func (c *cargo) raw(h v1.Hash) (raw []byte, err error) {
	for _, b := range c.bundles {
		if raw, err = b.Raw(h); err == nil {
			return raw, nil
		}
	}
	return nil, err
}

// source gives the blobs. A delta lacks layers that its base has: they must be in one of the
// other bundles, or in the registry.
func (c *cargo) source() transfer.Source {
	return transfer.Source{
		Has: func(h v1.Hash) bool {
			return slices.ContainsFunc(c.bundles, func(b *Bundle) bool { return b.has(h) })
		},
		Open: func(h v1.Hash) (io.ReadCloser, error) {
			for _, b := range c.bundles {
				if b.has(h) {
					return b.source(h)
				}
			}
			for _, b := range c.bundles {
				if d := b.Contents().Delta; d.lacking()[h] {
					return nil, fmt.Errorf("the registry does not have it, and this delta leaves it to its base, %s of version %s: push that first, or both together", d.Base.File, d.Base.Version)
				}
			}
			return nil, fmt.Errorf("%s is not in the bundle", h)
		},
	}
}

// source opens a blob.
func (b *Bundle) source(h v1.Hash) (io.ReadCloser, error) {
	r, _, err := b.Blob(h)
	return r, err
}

// has reports whether the bundle gives a blob.
func (b *Bundle) has(h v1.Hash) bool {
	_, layer := b.places[h]
	_, small := b.head.blobs[h]
	return layer || small
}
