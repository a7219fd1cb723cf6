// Package audit reads images as registries and archives have them, for [lint.CheckIndexes] to
// judge.
//
// Any tool may have made them. The package reads references, lists of references, manifests and
// charts, archives of docker save and docker buildx, OCI layouts in directories and archives, and
// Slipway's bundles. From a registry come documents only, and no layer: the index, for each entry
// its manifest and its configuration, the evidence of the image and other tags. An archive is
// read from its start to its end.
package audit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/render/workload"
)

// Reader reads images. Several goroutines may use one; what it has read it does not read again.
type Reader struct {
	// Client asks registries, with these options.
	Client  *network.Client
	Options network.Options
	// Jobs is how many requests a registry is sent at a time.
	Jobs int
	// Hosts are the nodes that pods of manifests may run on.
	Hosts []lint.Host
	// Before is the image that each of the others follows: a reference. Without it that is the
	// newest older version among the tags of its repository; with "none" none is looked for.
	Before string
	// Values are files with values of charts, and Cases are others by name, each in addition to
	// the chart's own.
	Values []string
	Cases  []Case
	// Deep reads layers, too; nil reads none.
	Deep *Deep

	memory *memory
}

// Case is a set of values of charts.
type Case struct {
	Name  string
	Files []string
}

// ahead is how many images are under way for each request that is: an image waits for one document
// to ask for the next.
const ahead = 8

// NewReader returns a reader that asks registries with options, each of them for o.Jobs documents
// at a time.
func NewReader(o network.Options) Reader {
	o = o.Defaults()
	o.Limit = o.Jobs
	return Reader{Client: network.New(o), Options: o, Jobs: o.Jobs, memory: &memory{}}
}

// Read reads what an argument names: the path of a file or a directory, or else a reference. found
// are findings about manifests and charts themselves. What a registry does not give is in the
// entries' [lint.Entry.Read] and no error.
func (r Reader) Read(ctx context.Context, arg string) (all []lint.Index, found []lint.Finding, err error) {
	fi, err := os.Stat(arg)
	switch {
	case arg == "-" || err == nil && !fi.IsDir() && workload.IsManifest(arg):
		return r.manifest(ctx, arg)
	case err == nil && IsChart(arg):
		return r.loaded(ctx, arg)
	case err == nil && fi.IsDir():
		all, err = r.directory(ctx, arg)
		return all, nil, err
	case err == nil:
		all, err = r.file(ctx, arg)
		return all, nil, err
	}
	if IsChart(arg) {
		return r.pulled(ctx, arg)
	}
	if looksLikeFile(arg) {
		return nil, nil, fmt.Errorf("%s is not there: name a file, or an image as repository:tag", arg)
	}
	ref, err := name.ParseReference(arg)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is neither a file nor an image reference: write repository:tag, or the path "+
			"of a list, a manifest, a chart or an archive", arg)
	}
	all, err = r.named(ctx, []lint.Index{{Name: arg}}, []name.Reference{ref})
	return all, nil, err
}

// looksLikeFile reports whether an argument names a file rather than an image.
func looksLikeFile(arg string) bool {
	return strings.HasPrefix(arg, ".") || filepath.IsAbs(arg) || workload.IsManifest(arg) ||
		slices.Contains([]string{".txt", ".tar", ".gz", ".tgz", ".zst"}, filepath.Ext(arg))
}

// IsChart reports whether an argument names a chart: a directory or an archive that is there, or
// one in a registry.
func IsChart(arg string) bool {
	if fi, err := os.Stat(arg); err == nil && !fi.IsDir() {
		return strings.HasSuffix(arg, ".tgz")
	}
	fi, err := os.Stat(filepath.Join(arg, "Chart.yaml"))
	return err == nil && fi.Mode().IsRegular() || strings.HasPrefix(arg, OCI)
}

// cases returns the sets of values of a chart: the one of Values, and the others.
func (r Reader) cases() ([]chart.Case, error) {
	values, err := chart.ReadValueFiles(r.Values)
	if err != nil {
		return nil, err
	}
	all := []chart.Case{{Options: chart.Options{Values: values}}}
	for _, c := range r.Cases {
		values, err := chart.ReadValueFiles(slices.Concat(r.Values, c.Files))
		if err != nil {
			return nil, err
		}
		all = append(all, chart.Case{Name: c.Name, Options: chart.Options{Values: values}})
	}
	return all, nil
}

// named reads images of registries, whose names and places the indexes have.
func (r Reader) named(ctx context.Context, all []lint.Index, refs []name.Reference) ([]lint.Index, error) {
	var g errgroup.Group
	g.SetLimit(ahead * r.Jobs)
	for n, ref := range refs {
		g.Go(func() (err error) {
			i := &all[n]
			read := r.reference(ctx, ref)
			read.Name, read.Pos, read.Origin = i.Name, i.Pos, i.Origin
			*i = read
			if err = r.before(ctx, ref, i); err == nil {
				err = r.neighbors(ctx, ref, i)
			}
			return err
		})
	}
	return all, g.Wait()
}

// reference reads an image of a registry, once in the life of the reader.
func (r Reader) reference(ctx context.Context, ref name.Reference) lint.Index {
	i, _ := r.memory.images.Do(ref.Name(), func() (lint.Index, error) {
		top, err := r.top(ctx, ref)
		if err != nil {
			return lint.Index{Single: true, Entries: []lint.Entry{missed(lint.Entry{}, err)}}, nil
		}
		i := r.index(top.Descriptor, top.Manifest, r.documents(ctx, ref.Context()), 0)
		return i, r.Deep.look(ctx, &i, r.blobs(ctx, ref.Context()))
	})
	return i // the error is that of ctx
}

// top reads what a reference names, once.
func (r Reader) top(ctx context.Context, ref name.Reference) (*remote.Descriptor, error) {
	return r.memory.tops.Do(ref.Name(), func() (*remote.Descriptor, error) { return r.Client.Get(ctx, ref) })
}

// documents returns where those of a repository are, each of which is read once.
func (r Reader) documents(ctx context.Context, repo name.Repository) source {
	return source{
		manifests: r.memory.once(repo.Name(), network.Listed(r.Client.Manifests(ctx, repo))),
		configs:   r.memory.once(repo.Name(), network.Listed(r.Client.Configs(ctx, repo))),
	}
}

// source is where the documents of an image are.
type source struct {
	manifests, configs oci.Get
	// layers names the layers of a manifest that are not there, and those that are damaged; nil if
	// they are not looked at.
	layers func(t *oci.Tree) (lost, damaged []string, err error)
}

// index reads what a document lists, which is in so many indexes.
func (r Reader) index(d v1.Descriptor, raw []byte, from source, depth int) lint.Index {
	i := lint.Index{Desc: d, Raw: raw}
	t, err := oci.Parse(d, raw)
	if err != nil {
		i.Single, i.Entries = true, []lint.Entry{missed(lint.Entry{Desc: d}, err)}
		return i
	}
	i.Desc = t.Desc
	if !t.Desc.MediaType.IsIndex() {
		i.Single, i.Entries = true, []lint.Entry{entry(t, from)}
		return i
	}
	i.Entries = make([]lint.Entry, len(t.Children))
	var g errgroup.Group
	g.SetLimit(r.Jobs)
	for n, child := range t.Children {
		g.Go(func() error {
			i.Entries[n] = r.listed(child.Desc, from, depth)
			return nil
		})
	}
	g.Wait() //nolint:errcheck // faults are those of entries
	return i
}

// listed reads what an index lists. Attestations are not images, and are not read.
func (r Reader) listed(d v1.Descriptor, from source, depth int) lint.Entry {
	e := lint.Entry{Desc: d}
	if e.IsAttestation() {
		return e
	}
	raw, err := from.manifests(d)
	if err != nil {
		return missed(e, err)
	}
	t, err := oci.Parse(d, raw)
	if err != nil {
		return missed(e, err)
	}
	if t.Desc.MediaType.IsIndex() {
		if depth++; depth == oci.MaxDepth {
			return missed(e, outcome.Damage(fmt.Errorf("index %s is nested too deeply in other indexes", d.Digest)))
		}
		nested := r.index(t.Desc, raw, from, depth)
		e.MediaType, e.Read, e.Nested = string(t.Desc.MediaType), outcome.There, &nested
		return e
	}
	read := entry(t, from)
	read.Desc = d
	return read
}

// entry reads the configuration of a manifest.
func entry(t *oci.Tree, from source) lint.Entry {
	e := lint.Entry{
		Desc: t.Desc, MediaType: string(t.Desc.MediaType), Layers: t.Layers, Read: outcome.There, Artifact: t.IsOther(),
	}
	if from.layers != nil {
		var err error
		if e.Lost, e.Damaged, err = from.layers(t); err != nil {
			return missed(e, err)
		}
	}
	if t.Config == nil || !t.Config.MediaType.IsConfig() {
		return e
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
	e.Read, e.Fault = outcome.Of(err), network.Clean(err)
	return e
}
