// Package audit reads images as registries and archives have them, for [lint.CheckIndexes] to judge.
//
// Nothing of Slipway has to have made them: it reads any reference, lists of references, archives of
// docker save and docker buildx, OCI layouts in directories and archives, and Slipway's bundles. It
// reads documents alone, and no layer: of a registry the index, and for each entry its manifest and
// its configuration.
package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lint"
)

// Reader reads images.
type Reader struct {
	// Client asks registries, with these options.
	Client  *network.Client
	Options network.Options
	// Jobs is how many images, and of each how many entries, are read at the same time.
	Jobs int
	// Deep reads layers, too; nil reads none.
	Deep *Deep
}

// Read reads what an argument names: the path of a file or a directory, or else a reference.
func (r Reader) Read(ctx context.Context, arg string) ([]lint.Index, error) {
	fi, err := os.Stat(arg)
	switch {
	case err == nil && fi.IsDir():
		return r.directory(ctx, arg)
	case err == nil:
		return r.file(ctx, arg)
	}
	ref, err := name.ParseReference(arg)
	if err != nil {
		return nil, fmt.Errorf("%s is no file and no image reference: write repository:tag, or the path of a list "+
			"or an archive", arg)
	}
	i, err := r.reference(ctx, arg, ref)
	return []lint.Index{i}, err
}

// reference reads an image of a registry.
func (r Reader) reference(ctx context.Context, text string, ref name.Reference) (lint.Index, error) {
	top, err := r.Client.Get(ctx, ref)
	if err != nil {
		return lint.Index{}, fmt.Errorf("reading %s: %w", text, network.Clean(err))
	}
	repo := ref.Context()
	i, err := r.index(ctx, text, top.Descriptor, top.Manifest, source{
		manifests: r.Client.Manifests(ctx, repo), configs: r.Client.Configs(ctx, repo),
	})
	return i, errors.Join(err, r.Deep.look(ctx, &i, r.blobs(ctx, repo)))
}

// source is where the documents of an image are.
type source struct{ manifests, configs oci.Get }

// index reads what a document lists.
func (r Reader) index(ctx context.Context, name string, d v1.Descriptor, raw []byte, from source) (lint.Index, error) {
	i := lint.Index{Name: name, Desc: d, Raw: raw}
	t, fault := oci.Parse(d, raw)
	if fault != nil {
		i.Single, i.Entries = true, []lint.Entry{{Desc: d, Fault: fault}}
		return i, ctx.Err()
	}
	i.Desc = t.Desc
	if !t.Desc.MediaType.IsIndex() {
		i.Single, i.Entries = true, []lint.Entry{entry(t, from)}
		return i, ctx.Err()
	}
	i.Entries = make([]lint.Entry, len(t.Children))
	var g errgroup.Group
	g.SetLimit(r.Jobs)
	for n, child := range t.Children {
		g.Go(func() error {
			i.Entries[n] = listed(child.Desc, from)
			return nil
		})
	}
	g.Wait() //nolint:errcheck // faults are those of entries
	return i, ctx.Err()
}

// listed reads what an index lists. An attestation is no image, and is not read.
func listed(d v1.Descriptor, from source) lint.Entry {
	e := lint.Entry{Desc: d}
	if d.Platform != nil && oci.IsAttestation(d) {
		return e
	}
	raw, err := from.manifests(d)
	if err != nil {
		return missed(e, err)
	}
	t, err := oci.Parse(d, raw)
	if err != nil {
		e.Fault = err
		return e
	}
	read := entry(t, from)
	read.Desc = d
	return read
}

// entry reads the configuration of a manifest.
func entry(t *oci.Tree, from source) lint.Entry {
	e := lint.Entry{Desc: t.Desc, MediaType: string(t.Desc.MediaType), Layers: t.Layers}
	if t.Config == nil || !t.Config.MediaType.IsConfig() {
		return e // an index in an index, or an artifact
	}
	config, err := t.ReadConfig(from.configs)
	if err != nil {
		return missed(e, err)
	}
	e.Config = config
	return e
}

// missed adds to an entry why a document of it was not read.
func missed(e lint.Entry, err error) lint.Entry {
	if network.Missing(err) || errors.Is(err, oci.ErrAbsent) || errors.Is(err, fs.ErrNotExist) {
		e.Missing = true
	} else {
		e.Fault = network.Clean(err)
	}
	return e
}
