package webfile

import (
	"context"
	"errors"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/store"
)

// ErrOther is about a file of an archive that has not the digest.
var ErrOther = errors.New("it is another file there")

// Archive is Get for a file of an archive of packages, of a given size in bytes, which several URLs
// may have: the next is asked where one does not have it, or has another file.
func Archive(ctx context.Context, st *store.Store, client *network.Client, urls []string, size int64,
	digest v1.Hash,
) (layer.Content, error) {
	_, err, _ := flights.Do(st.Dir()+" "+digest.String(), func() (any, error) {
		if st.Has(digest) {
			return nil, nil
		}
		if err := st.Room(v1.Descriptor{Digest: digest, Size: size}); err != nil {
			return nil, err
		}
		var errs []error
		for _, u := range urls {
			err := fromArchive(ctx, st, client, u, size, digest)
			if err == nil || ctx.Err() != nil {
				return nil, err
			}
			errs = append(errs, err)
		}
		return nil, oneLine(errs)
	})
	if err != nil {
		return layer.Content{}, err
	}
	return Stored(st, digest)
}

// oneLine joins errors.
func oneLine(errs []error) (err error) {
	for _, e := range errs {
		if err == nil {
			err = e
			continue
		}
		err = fmt.Errorf("%w; %w", err, e)
	}
	return err
}

func fromArchive(ctx context.Context, st *store.Store, client *network.Client, url string, size int64,
	digest v1.Hash,
) error {
	r, err := client.Archive(ctx, url, func(announced int64) error {
		if announced != size {
			return fmt.Errorf("it has %d bytes there, not %d", announced, size)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("downloading %s: %w", url, err)
	}
	defer r.Close()
	all := &complete{Reader: r}
	if err := st.Put(digest, all); err != nil {
		if all.read {
			err = fmt.Errorf("%w: %w", err, ErrOther)
		}
		return fmt.Errorf("downloading %s: %w", url, err)
	}
	return nil
}
