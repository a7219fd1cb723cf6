// Package webfile brings files of the web into the store, each by its digest, so that it is asked
// for once.
package webfile

import (
	"context"
	"errors"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/singleflight"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/store"
)

// flights are the downloads under way: the platforms of an image want the same file at the same
// time.
var flights singleflight.Group

// Get brings the bytes at a URL into the store, unless it has them, and returns them. The bytes
// must have the digest.
func Get(ctx context.Context, st *store.Store, client *network.Client, url string,
	digest v1.Hash,
) (layer.Content, error) {
	_, err, _ := flights.Do(st.Dir()+" "+digest.String(), func() (any, error) {
		if st.Has(digest) {
			return nil, nil
		}
		return nil, fetch(ctx, st, client, url, digest)
	})
	if err != nil {
		return layer.Content{}, err
	}
	return Stored(st, digest)
}

// Stored returns the blob of a digest. For one that the store does not have the error is
// fs.ErrNotExist.
func Stored(st *store.Store, digest v1.Hash) (layer.Content, error) {
	size, err := st.Size(digest)
	return layer.Content{Digest: digest, Size: size, Open: func() (io.ReadCloser, error) {
		return st.Open(digest)
	}}, err
}

func fetch(ctx context.Context, st *store.Store, client *network.Client, url string, digest v1.Hash) error {
	r, err := client.Download(ctx, url, func(size int64) error {
		return st.Room(v1.Descriptor{Digest: digest, Size: max(0, size)})
	})
	if err != nil {
		return fmt.Errorf("downloading %s: %w", url, err)
	}
	defer r.Close()
	all := &complete{Reader: r}
	if err := st.Put(digest, all); err != nil {
		if all.read {
			err = fmt.Errorf("%w: the file has changed, or the checksum is wrong", err)
		}
		return fmt.Errorf("downloading %s: %w", url, err)
	}
	return nil
}

// complete records whether its reader was read to the end: then an error is not the network's.
type complete struct {
	io.Reader

	read bool
}

func (w *complete) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.read = w.read || errors.Is(err, io.EOF)
	return n, err
}
