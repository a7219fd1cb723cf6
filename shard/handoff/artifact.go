package handoff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// The media types of artifacts and of their files.
const (
	typePlan    = "application/vnd.slipway.plan.v1"
	typePart    = "application/vnd.slipway.part.v1"
	typeRelease = "application/vnd.slipway.release.v1"
	typeFile    = types.MediaType("application/vnd.slipway.file.v1")
)

// The annotations of a file: its name, and "true" for a program.
const (
	title   = "org.opencontainers.image.title"
	program = "dev.slipway.program"
)

// file is a file of an artifact.
type file struct {
	name   string // with slashes, local
	digest v1.Hash
	size   int64
	// program means that the file may be executed.
	program bool
}

// pack puts an artifact into the store. The files need not be there.
func pack(st *store.Store, kind string, files []file) (*oci.Tree, error) {
	if _, err := st.PutBytes([]byte(oci.Empty)); err != nil {
		return nil, err
	}
	var layers []v1.Descriptor
	for _, f := range files {
		d := v1.Descriptor{
			MediaType: typeFile, Digest: f.digest, Size: f.size,
			Annotations: map[string]string{title: f.name},
		}
		if f.program {
			d.Annotations[program] = "true"
		}
		layers = append(layers, d)
	}
	raw, err := oci.MakeArtifact(kind, layers, nil, nil)
	if err != nil {
		return nil, err
	}
	d := v1.Descriptor{MediaType: types.OCIManifestSchema1}
	if d.Digest, d.Size, err = v1.SHA256(bytes.NewReader(raw)); err != nil {
		return nil, err
	}
	return oci.Parse(d, raw)
}

// push puts an artifact into a repository under a tag, which must not name another one. open opens
// the files that the store does not have.
func push(ctx context.Context, st *store.Store, o network.Options, ref name.Tag,
	t *oci.Tree, open map[v1.Hash]string,
) error {
	source := transfer.Source{Open: func(h v1.Hash) (io.ReadCloser, error) {
		if path, ok := open[h]; ok {
			return regular.Open(path) // the registry compares it with its digest
		}
		return st.Open(h)
	}}
	_, err := transfer.New(o).Push(ctx, []transfer.Image{{Name: ref.Name(), Ref: ref, Tree: t}},
		source, transfer.PushOptions{
			Task: "hand over", TrustTags: true,
			Conflict: func(_ transfer.Image, have v1.Hash) (what, todo string) {
				return fmt.Sprintf("%s already exists, as %s, and this run made %s: "+
						"two machines made the same differently", ref, have, t.Desc.Digest),
					"find out which is wrong (slipway reproduce), or plan again"
			},
		})
	return err
}

// fetch brings an artifact of a kind into the store. What the store has under a digest is not asked
// for again.
func fetch(ctx context.Context, st *store.Store, o network.Options, ref name.Reference,
	kind, remedy string,
) (files []file, err error) {
	tree, here, err := transfer.InStore(st, ref)
	if err != nil || !here { // a damaged artifact is fetched again
		w := &transfer.Wanted{
			Ref: ref, Name: ref.Name(), Remedy: remedy,
			Done: func(t *oci.Tree) error { tree = t; return nil },
		}
		if err := transfer.New(o).Fetch(ctx, st, []*transfer.Wanted{w}); err != nil {
			return nil, err
		}
	}
	if got := tree.ArtifactType(); got != kind || tree.Desc.MediaType.IsIndex() {
		return nil, fmt.Errorf("%s is %.100q, not %q: %s", ref, got, kind, remedy)
	}
	if files, err = filesOf(tree); err != nil {
		return nil, fmt.Errorf("%s %w: no slipway made it", ref, err)
	}
	return files, nil
}

// filesOf returns the files of an artifact, whose names are below a directory.
func filesOf(t *oci.Tree) (files []file, err error) {
	seen := map[string]bool{}
	for _, l := range t.Layers {
		f := file{l.Annotations[title], l.Digest, l.Size, l.Annotations[program] == "true"}
		if !filepath.IsLocal(filepath.FromSlash(f.name)) || path.Clean(f.name) != f.name || seen[f.name] {
			return nil, fmt.Errorf("has a file named %.100q", f.name)
		}
		seen[f.name] = true
		files = append(files, f)
	}
	return files, nil
}

// write writes files of the store to a directory.
func write(st *store.Store, dir string, files []file) error {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
			return err
		}
		if err := copyOut(st, f, path); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}

func copyOut(st *store.Store, f file, path string) error {
	in, err := st.Open(f.digest)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := disk.Create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	if f.program {
		return out.Commit(path, disk.ModeProgram)
	}
	return out.Commit(path, disk.ModeFile)
}

// read returns the digest and size of a file on the disk.
func read(dir, as string) (f file, path string, err error) {
	path = filepath.Join(dir, filepath.FromSlash(as))
	in, err := regular.Open(path)
	if err != nil {
		return f, path, err
	}
	defer in.Close()
	fi, err := in.Stat()
	if err != nil {
		return f, path, err
	}
	f.name, f.program = as, fi.Mode()&0o100 != 0
	f.digest, f.size, err = v1.SHA256(in)
	return f, path, err
}

// find returns the file of a name.
func find(files []file, as string) (file, error) {
	for _, f := range files {
		if f.name == as {
			return f, nil
		}
	}
	return file{}, errors.New("it has no " + as)
}
