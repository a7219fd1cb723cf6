package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// Deep reads the layers of images, each once in a run, into a directory of its own, and looks at
// their files. Nothing of them is executed.
type Deep struct {
	layers *tree.Scratch
	mu     sync.Mutex // one image after another: layers fill the network and the disk
}

// maxKept bounds the layers that are kept for other images of the run, in bytes.
const maxKept = 16 << 30

// NewDeep makes a Deep, which has to be closed.
func NewDeep() (*Deep, error) {
	layers, err := tree.NewScratch()
	if err != nil {
		return nil, fmt.Errorf("layers %w: %w", lint.ErrUnread, err)
	}
	return &Deep{layers: layers}, nil
}

// DeepIn makes a Deep that reads the layers of a store, and remembers there which files they have.
func DeepIn(st *store.Store) *Deep { return &Deep{layers: tree.ScratchIn(st)} }

// Inside returns the problems in the layers of an image that is complete in a store, which
// remembers them.
func (d *Deep) Inside(ctx context.Context, st *store.Store, e lint.Entry) (*lint.Inside, error) {
	const kind = "inside 4" // another form of lint.Inside has another number
	return store.Remember(st, kind, e.Desc.Digest.String(), func(*lint.Inside) bool { return true },
		func() (*lint.Inside, error) {
			i := lint.Index{Entries: []lint.Entry{e}}
			err := d.look(ctx, &i, func(d v1.Descriptor) (io.ReadCloser, error) { return st.Open(d.Digest) })
			if err == nil {
				err = i.Entries[0].Fault
			}
			return i.Entries[0].Inside, err
		})
}

// Close removes the files that were read.
func (d *Deep) Close() error { return d.layers.Close() }

// look reads the layers of an image's entries; open opens one by its descriptor.
func (d *Deep) look(ctx context.Context, i *lint.Index, open opener) error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.layers.Trim(maxKept)
	return d.entries(ctx, i, open)
}

func (d *Deep) entries(ctx context.Context, i *lint.Index, open opener) error {
	for n := range i.Entries {
		e := &i.Entries[n]
		if e.Nested != nil {
			if err := d.entries(ctx, e.Nested, open); err != nil {
				return err
			}
		}
		if e.Config == nil || e.Read != outcome.There || len(e.Lost)+len(e.Damaged) > 0 || isEvidence(e.Layers) {
			continue
		}
		inside, err := d.inside(ctx, *e, open)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			*e = missed(*e, ofLayers(err))
		default:
			e.Inside = inside
		}
	}
	return nil
}

// isEvidence reports whether all layers are documents of evidence: cosign's signatures and
// attestations have the configuration of an image. Another layer that is not an archive, such as an
// encrypted one, is a finding, since a node cannot unpack it.
func isEvidence(layers []v1.Descriptor) bool {
	return len(layers) > 0 && !slices.ContainsFunc(layers, func(l v1.Descriptor) bool { return parser(l) == nil })
}

// ofLayers marks an error as one about the bytes of layers, unless their source or the disk has
// failed.
func ofLayers(err error) error {
	if limit := (*tree.LimitError)(nil); errors.As(err, &limit) {
		err = fmt.Errorf("its layers have more than is read: %s", limit.What())
	}
	if errors.As(err, new(sourceError)) || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return outcome.Damage(err)
}

// sourceError is the error of a source of layers.
type sourceError struct{ error }

func (e sourceError) Unwrap() error { return e.error }

// sourced marks the errors of reading a layer.
type sourced struct{ io.ReadCloser }

func (s sourced) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = sourceError{err}
	}
	return n, err
}

// opener opens a layer.
type opener func(d v1.Descriptor) (io.ReadCloser, error)

// blobs returns what opens layers of a repository.
func (r Reader) blobs(ctx context.Context, repo name.Repository) opener {
	return func(d v1.Descriptor) (io.ReadCloser, error) { return r.Client.Stream(ctx, repo, d) }
}

// inside looks at the files of one image.
func (d *Deep) inside(ctx context.Context, e lint.Entry, open opener) (*lint.Inside, error) {
	diffIDs := e.Config.RootFS.DiffIDs
	if len(diffIDs) != len(e.Layers) {
		return nil, fmt.Errorf("its configuration has %d layers and its manifest %d", len(diffIDs), len(e.Layers))
	}
	windows := e.Config.OS == platform.Windows
	from := 0
	if windows {
		n, _ := oci.WindowsBase(e.Config, e.Layers) // up to some GiB, and always the same
		from = min(n, len(e.Layers))
	}
	var layers []v1.Layer
	for _, l := range e.Layers {
		layers = append(layers, layer{l, open})
	}
	var whole func() (*tree.Tree, error)
	if from > 0 {
		whole = d.whole(ctx, layers, diffIDs)
	}
	layers, diffIDs = layers[from:], diffIDs[from:]
	other, err := d.others(ctx, layers, diffIDs, windows)
	if err != nil {
		return nil, err
	}
	if other != "" {
		return &lint.Inside{Faults: []lint.InsideFault{{Rule: "index-layers-differ", What: other}}}, nil
	}
	t, err := d.layers.ReadLayers(ctx, layers, diffIDs, windows)
	if err != nil {
		return nil, err
	}
	in, program, err := examine(t, e.Config, from == 0)
	for n := 0; windows && n < len(layers) && err == nil; n++ {
		var a, b string
		if a, b, err = d.layers.Twice(ctx, layers[n], diffIDs[n]); b != "" {
			in.Faults = append(in.Faults, lint.InsideFault{Rule: "index-windows-name", What: fmt.Sprintf(
				"%.200q and %.200q are in one layer, and one file on Windows: take one out, or rename it", a, b)})
		}
	}
	if err != nil || program == "" {
		return in, err
	}
	return in, libraries(in, t, e.Config, program, whole)
}

// others returns that the layers are those of another system.
func (d *Deep) others(ctx context.Context, layers []v1.Layer, diffIDs []v1.Hash, windows bool) (string, error) {
	filled, there := 0, 0
	for n, l := range layers {
		names, err := d.layers.Top(ctx, l, diffIDs[n])
		if err != nil {
			return "", err
		}
		if len(names) == 0 {
			continue
		}
		filled++
		if isWindowsLayer(names) {
			there++
		}
	}
	switch {
	case filled == 0 || windows && there == filled || !windows && there < filled:
		return "", nil
	case windows && there > 0: // as buildah adds them to an image of another builder
		return fmt.Sprintf("%d of its layers lack the directory Files: no container has their files", filled-there), nil
	case windows:
		return "none of its layers has the directory Files: they are those of a Linux image", nil
	}
	return "its layers have the directory Files: they are those of a Windows image", nil
}

// isWindowsLayer reports whether the names in the root of a layer are those of a layer for
// Windows (https://github.com/microsoft/hcsshim/tree/main/pkg/ociwclayer), apart from those that
// eStargz adds (https://github.com/containerd/stargz-snapshotter/blob/main/docs/estargz.md).
func isWindowsLayer(names []string) bool {
	files := false
	for _, name := range names {
		switch name {
		case "Files", "Hives":
			files = true
		case "UtilityVM", "stargz.index.json", ".prefetch.landmark", ".no.prefetch.landmark":
		default:
			return false
		}
	}
	return files
}

// layer is a layer that is read where it is.
type layer struct {
	v1.Descriptor

	open opener
}

// Digest returns the digest of the blob.
func (l layer) Digest() (v1.Hash, error) { return l.Descriptor.Digest, nil }

// DiffID is not asked for: it is in the configuration.
func (l layer) DiffID() (v1.Hash, error) { return v1.Hash{}, errors.ErrUnsupported }

// Compressed opens the blob.
func (l layer) Compressed() (io.ReadCloser, error) {
	r, err := l.open(l.Descriptor)
	if err != nil {
		return nil, sourceError{err}
	}
	return sourced{r}, nil
}

// Uncompressed is not asked for.
func (l layer) Uncompressed() (io.ReadCloser, error) { return nil, errors.ErrUnsupported }

// Size returns the size of the blob in bytes.
func (l layer) Size() (int64, error) { return l.Descriptor.Size, nil }

// MediaType returns the media type that the manifest gives.
func (l layer) MediaType() (types.MediaType, error) { return l.Descriptor.MediaType, nil }
