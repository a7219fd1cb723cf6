package assemble

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/assemble/inputs"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

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
	tools, err := toolchains(ctx, b.compiled)
	if err != nil {
		return nil, err
	}
	all = append(all, tools...)
	lock.SortMaterials(all)
	return all, nil
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
			m.GitCommit, m.Proven = s.Commit, s.Proven
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
	m.Proven = s.Proven
	if !ok {
		c, ok = source.Committed(ctx, s)
		if s.Revision == "" && c.Revision != m.Revision { // images have it already
			return fmt.Errorf("source %s %s",
				strings.Join(append([]string{s.Name}, c.Changes[:min(1, len(c.Changes))]...), ": "), runAgain)
		}
		if !ok {
			return nil
		}
		lacking, err := inputs.Lacking(b.product, s.Directory, c.Has)
		if err != nil || lacking != "" {
			return err
		}
		m.Proven = true
		b.commits[s.Name] = c
	}
	if s.URL != "" {
		m.URI = "git+" + s.URL
	}
	m.GitCommit, m.Path = c.Hash, c.In
	return nil
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
