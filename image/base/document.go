package base

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
)

// Document is an index, a manifest or a configuration of a base. With these and the layers, no
// registry is needed to build on the base again.
type Document struct {
	Repository name.Repository
	File       string // the name of an image in a file, in place of Repository
	Digest     v1.Hash
	Content    []byte
}

// Documents returns the documents that decided which images the resolved bases are, sorted by
// repository and digest. Stub bases and built-in ones have none.
func (r *Resolver) Documents() []Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Document
	for _, d := range r.documents {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b Document) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Repository.Name(), b.Repository.Name()),
			cmp.Compare(a.Digest.Hex, b.Digest.Hex))
	})
	return all
}

// reader reads the documents of an image.
type reader struct{ manifests, configs oci.Get }

// remoteReader reads from a repository.
func remoteReader(ctx context.Context, c *network.Client, repo name.Repository) reader {
	return reader{c.Manifests(ctx, repo), c.Configs(ctx, repo)}
}

// reader reads documents from the release that is rebuilt or a repository, and remembers them.
func (r *Resolver) reader(ctx context.Context, repo name.Repository) reader {
	from := remoteReader(ctx, r.Client, repo)
	return reader{r.remember(repo, from.manifests), r.remember(repo, from.configs)}
}

func (r *Resolver) remember(repo name.Repository, get oci.Get) oci.Get {
	if r.Shipped != nil {
		get = r.Shipped.Else(get, func(d v1.Descriptor, err error) error {
			return fmt.Errorf("the statement does not have %s: %w", d.Digest, err)
		})
	}
	return func(d v1.Descriptor) ([]byte, error) {
		raw, err := get(d)
		if err != nil {
			return nil, err
		}
		r.remembered(Document{Repository: repo, Digest: d.Digest, Content: raw})
		return raw, nil
	}
}

// remembered remembers a document.
func (r *Resolver) remembered(d Document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.documents == nil {
		r.documents = map[string]Document{}
	}
	r.documents[cmp.Or(d.File, d.Repository.Name())+"@"+d.Digest.String()] = d
}
