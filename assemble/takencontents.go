package assemble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/imagefile"
	"github.com/slipway-dev/slipway/image/inventory"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/packages"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// takenContents is what the layers of an image of another builder have.
type takenContents struct {
	Packages []lock.Package `json:"packages,omitempty"`
	Programs []lock.Program `json:"programs,omitempty"`
	Files    []lock.File    `json:"files,omitempty"` // the programs
	Note     string         `json:"note,omitempty"`  // why something is not listed
}

// kindContents is the kind of records of takenContents, by the manifest; another form has another
// number.
const kindContents = "prebuilt contents 2"

// noteTaken lists what an image of another builder contains: the packages of its distribution, and
// the modules of Go programs. The layers of a Windows base are not read. The store remembers it.
func (m *maker) noteTaken(ctx context.Context, i product.Image, t taken) (notes []string, err error) {
	a := unpacked(m.Store, i, platform.FromConfig(t.config))
	defer a.Drop()
	var c takenContents
	found, err := m.Store.Recall(kindContents, t.manifest.Desc.Digest.String(), &c)
	if err != nil {
		return nil, err
	}
	if !found {
		if c, err = m.readTaken(ctx, a, t); err != nil {
			return nil, fmt.Errorf("reading the layers of %s: %w", t.from, err)
		}
		if err := m.Store.Record(kindContents, t.manifest.Desc.Digest.String(), c); err != nil {
			return nil, err
		}
	}
	if c.Note != "" {
		notes = append(notes, c.Note)
	}
	// The content has neither a source nor a version: two images may be the same manifest.
	has := lock.Content{Digest: t.manifest.Desc.Digest, Files: c.Files, Packages: c.Packages}
	return notes, m.noted.add(has, c.Programs, nil)
}

// readTaken reads the layers of an image.
func (in Input) readTaken(ctx context.Context, a *tree.Archives, t taken) (c takenContents, err error) {
	files, err := takenTree(ctx, a, in.Store, t)
	if limit := (*tree.LimitError)(nil); errors.As(err, &limit) {
		return takenContents{Note: "its packages and programs are not listed: " + limit.What()}, nil
	}
	if err != nil {
		return c, err
	}
	if t.config.OS == platform.Linux {
		if c.Packages, err = packages.List(files); err != nil {
			return c, err
		}
		name, err := packages.Unread(files)
		if err != nil {
			return c, err
		}
		if name != "" {
			c.Note = unread(name)
		}
	}
	return c, c.listPrograms(ctx, in.Store, files, t.config.OS)
}

// unpacked returns where the layers of an image are unpacked. Others may have the same layers, and
// drop them.
func unpacked(st *store.Store, i product.Image, p platform.Platform) *tree.Archives {
	a := tree.ScratchIn(st).Archives
	a.Part = strings.NewReplacer("/", "-", ":", "-").Replace(i.Name + "-" + p.String())
	return a
}

// put brings an image out of its file into the store, and lists the files of its layers meanwhile.
func (in Input) put(ctx context.Context, i product.Image, img *imagefile.Image) (imagefile.Taken, error) {
	a := unpacked(in.Store, i, img.Platform)
	img.Look = func(blob v1.Descriptor, r io.Reader) {
		own := ownLayers(img.Config, img.Tree.Layers)
		n := slices.IndexFunc(img.Tree.Layers, func(l v1.Descriptor) bool { return l.Digest == blob.Digest })
		if n >= own && n < len(img.Config.RootFS.DiffIDs) {
			a.Look(ctx, r, img.Config.RootFS.DiffIDs[n])
		}
	}
	put, err := img.Put(ctx, in.Store)
	if err != nil {
		a.Drop()
	}
	return put, err
}

// ownLayers returns how many layers are Microsoft's base, which are not read.
func ownLayers(c *v1.ConfigFile, layers []v1.Descriptor) int {
	if c.OS != platform.Windows {
		return 0
	}
	n, _ := oci.WindowsBase(c, layers)
	return min(n, len(layers))
}

// takenTree returns the files of an image, for Windows those above Microsoft's base.
func takenTree(ctx context.Context, a *tree.Archives, st *store.Store, t taken) (*tree.Tree, error) {
	img, err := st.Image(t.manifest.Desc.Digest)
	if err != nil {
		return nil, err
	}
	layers, err := img.Layers()
	if err != nil {
		return nil, err
	}
	diffIDs := t.config.RootFS.DiffIDs
	if len(diffIDs) != len(layers) {
		return nil, fmt.Errorf("its configuration has %d layers and its manifest %d", len(diffIDs), len(layers))
	}
	from := ownLayers(t.config, t.manifest.Layers)
	return a.ReadLayers(ctx, layers[from:], diffIDs[from:], t.config.OS == platform.Windows)
}

// listPrograms lists the programs of a tree that have build information of Go.
func (c *takenContents) listPrograms(ctx context.Context, st *store.Store, t *tree.Tree, os string) error {
	var names []string
	for p, n := range t.Nodes {
		if n.Kind == layer.Regular && n.Odd == "" && mayStart(p, n, os) {
			names = append(names, p)
		}
	}
	slices.Sort(names)
	for _, p := range names {
		content, err := t.Nodes[p].Content()
		if err != nil {
			return err
		}
		if content.Size == 0 {
			continue
		}
		if _, ok, err := system(ctx, st, content); err != nil || !ok {
			if err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
			continue
		}
		one, err := inventory.Program(ctx, st, content)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if one.Go == "" {
			continue
		}
		c.Programs = append(c.Programs, one)
		c.Files = append(c.Files, lock.File{Path: p, Digest: content.Digest, Size: content.Size, Executable: true})
	}
	return nil
}

// mayStart reports whether a file may be a program that something starts. Those of ko have no
// extension on Windows.
func mayStart(p string, n *tree.Node, os string) bool {
	if os == platform.Windows {
		return slices.Contains([]string{".exe", ".dll", ""}, strings.ToLower(path.Ext(p)))
	}
	return n.Mode&0o111 != 0
}
