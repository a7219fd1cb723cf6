package imagefile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/store"
)

// Taken is an image that was brought into a store.
type Taken struct {
	Manifest v1.Descriptor // with the platform
	Config   v1.Hash
	Layers   []v1.Descriptor // as the manifest lists them
	// Referrers refer to the manifest or to one another: a referrer is behind its subject. The store
	// has all their documents and blobs.
	Referrers []oci.Referrer
}

// Put brings the image into a store, byte for byte, and its referrers. Layers that the store has
// are not read. The manifest comes behind everything that may be damaged: after an error, the
// store lacks it.
func (i *Image) Put(ctx context.Context, st *store.Store) (Taken, error) {
	taken, err := i.put(ctx, st)
	if err != nil {
		return Taken{}, fmt.Errorf("%s: %w", i.file.ref.Text, err)
	}
	return taken, nil
}

func (i *Image) put(ctx context.Context, st *store.Store) (Taken, error) {
	var proofs []proof
	if i.layers != nil {
		if err := i.makeManifest(ctx, st); err != nil {
			return Taken{}, err
		}
	} else {
		var err error
		if proofs, err = i.proofs(); err != nil {
			return Taken{}, err
		}
		blobs := i.Tree.Layers
		for _, p := range proofs {
			blobs = append(blobs[:len(blobs):len(blobs)], p.blobs...)
		}
		if err := i.copyAll(ctx, st, blobs); err != nil {
			return Taken{}, err
		}
	}
	documents := [][]byte{i.RawConfig, i.Tree.Raw}
	taken := Taken{Manifest: i.Tree.Desc, Config: i.Tree.Config.Digest, Layers: i.Tree.Layers}
	taken.Manifest.Platform = i.Platform.V1()
	for _, p := range proofs {
		documents = append(documents, p.documents...)
		taken.Referrers = append(taken.Referrers, p.Referrer)
	}
	for _, d := range documents {
		if _, err := st.PutBytes(d); err != nil {
			return Taken{}, err
		}
	}
	return taken, nil
}

func (i *Image) copyAll(ctx context.Context, st *store.Store, blobs []v1.Descriptor) error {
	blobs, err := once(blobs)
	if err != nil {
		return err
	}
	missing, err := st.Missing(blobs...)
	if err != nil || len(missing) == 0 {
		return err
	}
	if err := st.Room(missing...); err != nil {
		return err
	}
	var total int64
	for _, d := range missing {
		total += d.Size
	}
	return readAll(ctx, i.file, total, missing, func(ctx context.Context, d v1.Descriptor, task *progress.Task) error {
		return i.copy(ctx, st, d, task)
	})
}

// readAll calls read for all of a list at the same time, and shows how many of some bytes are read.
func readAll[T any](ctx context.Context, f *File, total int64, list []T,
	read func(context.Context, T, *progress.Task) error,
) error {
	task := f.Progress.Start("reading "+f.ref.Text, progress.Bytes, total)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, one := range list {
		g.Go(func() error { return read(ctx, one, task) })
	}
	if err := g.Wait(); err != nil {
		task.Fail()
		return err
	}
	task.Done("%s", progress.Size(total))
	return nil
}

// once returns blobs each once. One that is listed with two sizes is an error.
func once(blobs []v1.Descriptor) ([]v1.Descriptor, error) {
	sizes := map[v1.Hash]int64{}
	var all []v1.Descriptor
	for _, d := range blobs {
		size, seen := sizes[d.Digest]
		if seen && size != d.Size {
			return nil, fmt.Errorf("blob %s is listed with %d bytes and with %d: build the image anew",
				d.Digest, size, d.Size)
		}
		if !seen {
			sizes[d.Digest] = d.Size
			all = append(all, d)
		}
	}
	return all, nil
}

// copy copies a blob, and compares it with its descriptor.
func (i *Image) copy(ctx context.Context, st *store.Store, d v1.Descriptor, task *progress.Task) error {
	from, size, err := i.file.files.open(blobName(d.Digest))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("blob %s is listed, and not there: export the image whole", d.Digest)
	case err != nil:
		return err
	}
	defer from.Close()
	if size != d.Size {
		return fmt.Errorf("blob %s has %d bytes, and is listed with %d: build the image anew", d.Digest, size, d.Size)
	}
	b, err := st.Create()
	if err != nil {
		return err
	}
	defer b.Abort()
	r := bufio.NewReaderSize(io.TeeReader(progress.Reader(ctx, from, task), b), 1<<17)
	if i.Look != nil {
		i.Look(d, r)
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return fmt.Errorf("reading blob %s: %w", d.Digest, bare(err))
	}
	if got := b.Digest(); got != d.Digest || b.Size() != d.Size {
		return fmt.Errorf("blob %s is damaged: its bytes have the digest %s: build the image anew", d.Digest, got)
	}
	_, _, err = b.Commit()
	return err
}

func describe(raw []byte) (v1.Descriptor, error) {
	h, size, err := v1.SHA256(bytes.NewReader(raw))
	return v1.Descriptor{Digest: h, Size: size}, err
}
