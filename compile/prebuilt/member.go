package prebuilt

import (
	"context"
	"errors"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/archive"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/webfile"
	"github.com/slipway-dev/slipway/store"
)

const (
	kindMember = "member"
	// maxProgram bounds the size of a program, in bytes, and maxNames how many files of an archive
	// are remembered for a message.
	maxProgram = 4 << 30
	maxNames   = 1000
)

// member returns a file of an archive, which is unpacked into the store once.
func (r Reader) member(ctx context.Context, from layer.Content, name string) (layer.Content, error) {
	key := from.Digest.String() + " " + name
	digest, err := store.Remember(r.Store, kindMember, key, r.Store.Has, func() (v1.Hash, error) {
		return r.unpack(ctx, from, name)
	})
	if err != nil {
		return layer.Content{}, err
	}
	return webfile.Stored(r.Store, digest)
}

// unpack puts a file of an archive into the store: the last of that name, as tar and unzip do.
func (r Reader) unpack(ctx context.Context, from layer.Content, name string) (digest v1.Hash, err error) {
	var names []string
	err = archive.Walk(ctx, from, func(f archive.File, content io.Reader) error {
		if f.Mode.IsRegular() && len(names) < maxNames {
			names = append(names, f.Name)
		}
		if f.Name != name {
			return nil
		}
		if !f.Mode.IsRegular() {
			return fmt.Errorf("its %s is a link or a directory: name the file itself", name)
		}
		b, err := r.Store.Create()
		if err != nil {
			return err
		}
		defer b.Abort()
		if n, err := io.Copy(b, io.LimitReader(content, maxProgram+1)); err != nil {
			return err
		} else if n > maxProgram {
			return errors.New("its " + name + " has more than 4 GiB")
		}
		digest, _, err = b.Commit()
		return err
	})
	switch {
	case errors.Is(err, archive.ErrFormat):
		return digest, fmt.Errorf("%w: take member out, or name another file", err)
	case err != nil:
		return digest, fmt.Errorf("unpacking: %w", archive.Damaged(err))
	case digest == (v1.Hash{}):
		return digest, archive.Missing(name, names)
	}
	return digest, nil
}
