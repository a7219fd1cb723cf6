package build

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/inputs"
	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// here is what a release is made from, at one time.
type here struct {
	sources []lock.Material
	set     *inputs.Set
}

// Here lists those materials that every part of a release is made from: the archive of inputs,
// which goes into the store, sources, and slipway. [Builder.Unchanged] compares with them.
func (b *Builder) Here(ctx context.Context) ([]lock.Material, error) {
	if b.before == nil {
		h, err := b.look(ctx)
		if err != nil {
			return nil, err
		}
		for _, path := range h.set.Outside {
			b.progress.Printf("warning: %s is outside of the product's repository: nobody else can build the release without it", path)
		}
		b.before = h
	}
	archive, err := archived(ctx, b.product, b.before.set, b.store)
	if err != nil {
		return nil, err
	}
	self, err := slipway(b.store)
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(b.before.sources), archive, self), nil
}

func (b *Builder) look(ctx context.Context) (*here, error) {
	all, err := b.sources(ctx)
	if err != nil {
		return nil, err
	}
	set, err := collect(ctx, b.product, all)
	return &here{all, set}, err
}

// again is the remedy for what has changed.
const again = "changed while the release was made, which may have it as it was or as it is: run again"

// Unchanged compares what is here with what was here when [Builder.Here] looked first: whatever was
// read in between is what the statement of the release says. It is to be called after everything
// was.
func (b *Builder) Unchanged(ctx context.Context) error {
	now, err := b.look(ctx)
	if err != nil {
		return err
	}
	if path := b.before.set.Changed(now.set); path != "" {
		return fmt.Errorf("%s %s", path, again)
	}
	if path := b.product.Changed(now.set.Stamp); path != "" {
		return fmt.Errorf("%s %s", path, again)
	}
	for n, m := range b.before.sources {
		if m != now.sources[n] {
			return fmt.Errorf("%s %s", m.Title(), again)
		}
	}
	return nil
}

// Materials lists what the product is built from, as Images does, without building it.
func (b *Builder) Materials(ctx context.Context) ([]lock.Material, error) {
	var err error
	if b.compiled, err = b.Programs(); err != nil {
		return nil, err
	}
	all, err := b.Here(ctx)
	if err != nil {
		return nil, err
	}
	tools, err := b.toolchains(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, tools...)
	lock.SortMaterials(all)
	return all, nil
}

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
	known.Reset() // files may have changed since
	if err := set.Write(ctx, blob, known); err != nil {
		return v1.Hash{}, err
	}
	if d.Digest, d.Size, err = blob.Commit(); err != nil {
		return v1.Hash{}, err
	}
	return d.Digest, st.Record(kindArchive, key(), d)
}

// sources lists the sources of the product, whether they are used or not.
func (b *Builder) sources(ctx context.Context) ([]lock.Material, error) {
	var all []lock.Material
	for _, s := range b.product.Sources {
		tree, ok := b.trees[s.Name]
		if !ok {
			continue
		}
		m := lock.Material{Name: s.Name, Revision: tree.Source.Revision}
		if s.Module == "" {
			if err := b.directory(ctx, s, &m); err != nil {
				return nil, err
			}
			m.Created = tree.Source.Created
			all = append(all, m)
			continue
		}
		var err error
		path, version, _ := strings.Cut(s.Module, "@")
		m.URI = purl.Go(path, version)
		if m.DirHash, err = dirHash(s.Sum); err != nil {
			return nil, fmt.Errorf("source %s: %w", s.Name, err)
		}
		switch {
		case s.Commit != "":
			m.GitCommit, m.Proven = s.Commit, true
		case s.Repository != "":
			if b.modules[s.Name] == "" { // neither the commit nor the module can change
				if b.modules[s.Name], err = source.Prove(ctx, s, s.Repository, b.store.Temp()); err != nil {
					return nil, err
				}
			}
			m.GitCommit, m.Proven = b.modules[s.Name], true
		}
		all = append(all, m)
	}
	return all, nil
}

// directory fills in where a directory source is known from: its commit, if that has every file
// that slipway.yaml names. Those that programs are compiled from are compared by [Builder.prove].
func (b *Builder) directory(ctx context.Context, s product.Source, m *lock.Material) error {
	m.URI, m.Own = "source:"+s.Name, s.Own
	m.Path = inputs.Source{Name: s.Name, Directory: s.Directory, Own: s.Own}.Path(b.product)
	c, ok := source.Commit{Hash: s.Commit, In: s.In}, s.Commit != ""
	if !ok {
		c, ok = source.Committed(ctx, s)
		if s.Revision == "" && c.Revision != m.Revision { // images have it already
			return fmt.Errorf("source %s %s", strings.Join(append([]string{s.Name}, c.Changes[:min(1, len(c.Changes))]...), ": "), again)
		}
		if !ok {
			return nil
		}
		lacking, err := inputs.Lacking(b.product, s.Directory, c.Has)
		if err != nil || lacking != "" {
			return err
		}
		b.commits[s.Name] = c
	}
	if s.URL != "" {
		m.URI = "git+" + s.URL
	}
	m.GitCommit, m.Path, m.Proven = c.Hash, c.In, true
	return nil
}

// toolchains lists the Go toolchains that compile the programs. The go.mod of each directory that
// they are compiled in may choose one.
func (b *Builder) toolchains(ctx context.Context) ([]lock.Material, error) {
	var all []lock.Material
	seen, asked := map[string]bool{}, map[string]bool{}
	for _, p := range b.compiled {
		if asked[p.Tree.Dir] {
			continue
		}
		asked[p.Tree.Dir] = true
		tool, err := p.Tree.Toolchain(ctx)
		if err != nil {
			return nil, err
		}
		if seen[tool.Version] {
			continue
		}
		seen[tool.Version] = true
		m := lock.Material{URI: purl.Go("golang.org/toolchain", tool.Version), Local: tool.Sum == ""}
		if tool.Sum != "" {
			if m.DirHash, err = dirHash(tool.Sum); err != nil {
				return nil, err
			}
		}
		all = append(all, m)
	}
	return all, nil
}

// maxDocument bounds the documents of bases that a statement has: larger ones are read from the
// registry again. Those of real bases have some KB.
const maxDocument = 1 << 20

// documents lists the documents of the bases that images were built on, with their bytes.
func (b *Builder) documents() []lock.Material {
	var all []lock.Material
	for _, d := range b.bases.Documents() {
		if len(d.Content) > maxDocument {
			continue
		}
		all = append(all, lock.Material{
			URI: purl.OCI(d.Repository.Name(), d.Digest.String(), nil), SHA256: d.Digest.Hex, Content: base64.StdEncoding.EncodeToString(d.Content),
		})
	}
	return all
}

// dirHash returns an h1: hash in hex, as in-toto has it.
func dirHash(sum string) (string, error) {
	h, ok := strings.CutPrefix(sum, "h1:")
	b, err := base64.StdEncoding.DecodeString(h)
	if !ok || err != nil {
		return "", fmt.Errorf("%q is not a hash of a module", sum)
	}
	return hex.EncodeToString(b), nil
}
