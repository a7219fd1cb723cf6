package assemble

import (
	"context"
	"crypto/sha256"
	"errors"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble/inputs"
	"github.com/slipway-dev/slipway/image/deflate"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Archive is the archive of inputs in the store.
type Archive struct {
	lock.Material

	Outside []string // as in [inputs.Set]
}

// Inputs puts the archive of a product's inputs into the store. materials have the sources, as
// build lists them: what a commit has is not in the archive.
func Inputs(ctx context.Context, p *product.Product, materials []lock.Material, st *store.Store) (Archive, error) {
	set, err := collect(ctx, p, materials)
	if err != nil {
		return Archive{}, err
	}
	m, err := archived(ctx, p, set, st)
	return Archive{m, set.Outside}, err
}

// collect lists the inputs of a product.
func collect(ctx context.Context, p *product.Product, materials []lock.Material) (*inputs.Set, error) {
	var directories []inputs.Source
	for _, s := range p.Sources {
		if s.Directory == "" {
			continue
		}
		one := inputs.Source{Name: s.Name, Directory: s.Directory, Own: s.Own, Beyond: s.Beyond()}
		for _, m := range materials {
			one.Committed = one.Committed || m.Name == s.Name && m.GitCommit != ""
		}
		directories = append(directories, one)
	}
	return inputs.Collect(ctx, p, directories)
}

// archived puts the archive of inputs into the store.
func archived(ctx context.Context, p *product.Product, set *inputs.Set, st *store.Store) (lock.Material, error) {
	h, err := put(ctx, set, st)
	return lock.Material{URI: inputs.Name(p.Name, p.Version), SHA256: h.Hex, Path: set.File}, err
}

// kindArchive is the kind of records of what tars of inputs became.
const kindArchive = "archive"

// put puts an archive into the store. One that was compressed before, and that the store has, is
// known by its tar.
func put(ctx context.Context, set *inputs.Set, st *store.Store) (v1.Hash, error) {
	known := sha256.New()
	if err := set.WriteTar(ctx, known); err != nil {
		return v1.Hash{}, err
	}
	var d v1.Descriptor
	key := func() string { return inputs.Compression + "\n" + oci.Sum(known).String() }
	ok, err := st.Recall(kindArchive, key(), &d)
	if ok && err == nil {
		ok, err = st.Check(d)
	}
	if ok || err != nil {
		return d.Digest, err
	}
	blob, err := st.Create()
	if err != nil {
		return v1.Hash{}, err
	}
	defer blob.Abort()
	before := deflate.Open(st, "inputs")
	defer before.Close()
	known.Reset() // files may have changed since
	blocks, err := set.Write(ctx, blob, known, before)
	if err != nil {
		return v1.Hash{}, err
	}
	if d.Digest, d.Size, err = blob.Commit(); err != nil {
		return v1.Hash{}, err
	}
	return d.Digest, errors.Join(before.Record(d.Digest, blocks), st.Record(kindArchive, key(), d))
}
