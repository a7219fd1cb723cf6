package airgap

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/progress"
)

// Formats that an image is extracted to.
const (
	FormatOCI    = "oci"            // image layout: a directory, or a tar of it
	FormatDocker = "docker-archive" // what docker load takes
)

// ExtractOptions say what becomes of an extracted image.
type ExtractOptions struct {
	To       string            // a file where it ends in .tar, else a directory, which must not be there yet
	Format   string            // FormatOCI or FormatDocker; empty: docker-archive for a file, oci for a directory
	Platform *v1.Platform      // nil: all platforms, or the only one that the bundle holds
	Progress *progress.Printer // nil: quiet
}

// Extracted is an image outside of its bundle.
type Extracted struct {
	Name     string  `json:"name"`
	Digest   v1.Hash `json:"digest"`             // of the index, or of the manifest where one was extracted
	Platform string  `json:"platform,omitempty"` // of the manifest
	Format   string  `json:"format"`
	Path     string  `json:"path"`
}

// Extract writes one image of the bundle to a layout or an archive, which appears under its name when it is complete and every digest has
// been checked. An index stays an index, with its digest, where the bundle holds all of it; of a bundle for one platform, and for docker, the one
// manifest is taken out.
func (b *Bundle) Extract(ctx context.Context, ref string, o ExtractOptions) (*Extracted, error) {
	i, err := b.contents.Find(ref)
	if err != nil {
		return nil, err
	}
	file := strings.HasSuffix(o.To, ".tar")
	switch {
	case o.Format == "" && file:
		o.Format = FormatDocker
	case o.Format == "":
		o.Format = FormatOCI
	case o.Format != FormatOCI && o.Format != FormatDocker:
		return nil, fmt.Errorf("unknown format %q: use %s or %s", o.Format, FormatOCI, FormatDocker)
	}
	if o.Format == FormatDocker && !file {
		return nil, fmt.Errorf("%s: a docker-archive is a file: let its name end in .tar", o.To)
	}
	x := &Extracted{Name: i.Name, Digest: i.Digest, Format: o.Format, Path: o.To}
	child, err := i.one(o)
	if err != nil {
		return nil, err
	}
	list, err := b.members(i, child, o.Format)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.Name, err)
	}
	if child != nil {
		x.Digest, x.Platform = child.Digest, child.Platform
	}
	var total int64
	for _, e := range list {
		total += e.size
	}
	task := o.Progress.Start("extracting "+i.Name, progress.Bytes, total)
	defer task.Fail()
	write := b.toDir
	if file {
		write = b.toFile
	}
	if err := write(o.To, list, func(r io.Reader) io.Reader {
		return readFunc(func(p []byte) (int, error) {
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			n, err := r.Read(p)
			task.Add(int64(n))
			return n, err
		})
	}); err != nil {
		return nil, fmt.Errorf("extracting %s: %w", i.Name, err)
	}
	task.Done("%s", progress.Size(total))
	return x, nil
}

// one returns the only manifest that is to be extracted, or nil for all.
func (i Image) one(o ExtractOptions) (*Child, error) {
	var runs []Child // not the attestations
	var have []string
	for _, c := range i.Children {
		if p, err := platform.Parse(c.Platform); err == nil {
			have = append(have, c.Platform)
			if o.Platform == nil || platform.Same(p, *o.Platform) {
				runs = append(runs, c)
			}
		}
	}
	switch {
	case o.Platform != nil && len(runs) == 0:
		return nil, fmt.Errorf("%s: the bundle has no %s of it, only %s", i.Name, platform.Format(*o.Platform), strings.Join(have, ", "))
	case o.Platform == nil && o.Format == FormatOCI && len(i.Missing) == 0:
		return nil, nil
	case len(runs) == 1:
		return &runs[0], nil
	case o.Format == FormatDocker:
		return nil, fmt.Errorf("%s: a docker-archive holds one platform: choose one of %s with -platform", i.Name, strings.Join(have, ", "))
	}
	return nil, fmt.Errorf("%s: the bundle does not hold all of its index: choose one of %s with -platform", i.Name, strings.Join(have, ", "))
}

// member is a file of a layout or an archive: bytes, or a blob of the bundle.
type member struct {
	name string
	size int64
	data []byte
	blob v1.Hash
}

// members lists the files of an image, or of one manifest of it, in the order of the archive.
func (b *Bundle) members(i Image, only *Child, format string) ([]member, error) {
	list := []member{}
	seen := map[v1.Hash]bool{}
	add := func(h v1.Hash, size int64) {
		if !seen[h] {
			seen[h] = true
			list = append(list, member{blobName(h), size, nil, h})
		}
	}
	small := func(h v1.Hash) error {
		raw, err := b.Raw(h)
		add(h, int64(len(raw)))
		return err
	}
	children := i.Children
	if only != nil {
		children = []Child{*only}
	} else if err := small(i.Digest); err != nil {
		return nil, err
	}
	for _, c := range children {
		if err := errors.Join(small(c.Digest), small(c.Config)); err != nil {
			return nil, err
		}
	}
	for _, c := range children {
		for _, l := range c.Layers {
			add(l.Digest, l.Size)
		}
	}
	var front []member
	file := func(name string, v any) error {
		data, err := json.Marshal(v)
		front = append(front, member{name, int64(len(data)), data, v1.Hash{}})
		return err
	}
	if format == FormatDocker {
		d, err := b.dockerImage(i.Name, *only)
		if err != nil {
			return nil, err
		}
		err = file("manifest.json", tarball.Manifest{d})
		return append(front, list...), err
	}
	d, err := b.descriptor(i, only)
	if err != nil {
		return nil, err
	}
	front = append(front, member{"oci-layout", int64(len(layoutFile)), []byte(layoutFile), v1.Hash{}})
	err = file("index.json", v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{d}})
	return append(front, list...), err
}

// descriptor is what index.json of the layout has.
func (b *Bundle) descriptor(i Image, only *Child) (v1.Descriptor, error) {
	d := v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest}
	if only != nil && only.Digest != i.Digest {
		raw, err := b.Raw(i.Digest)
		if err != nil {
			return d, err
		}
		var m v1.IndexManifest
		if err := decode(i.Digest.String(), raw, &m); err != nil {
			return d, err
		}
		for _, c := range m.Manifests {
			if c.Digest == only.Digest {
				d = c
			}
		}
	}
	raw, err := b.Raw(d.Digest)
	d.Size = int64(len(raw))
	d.Annotations = map[string]string{annotationImageName: i.Name, annotationRefName: i.Name}
	return d, err
}

// dockerImage is what manifest.json of a docker-archive has.
func (b *Bundle) dockerImage(name string, c Child) (tarball.Descriptor, error) {
	raw, err := b.Raw(c.Config)
	if err != nil {
		return tarball.Descriptor{}, err
	}
	var config v1.ConfigFile
	if err := decode(c.Config.String(), raw, &config); err != nil {
		return tarball.Descriptor{}, err
	}
	if len(config.RootFS.DiffIDs) != len(c.Layers) {
		return tarball.Descriptor{}, fmt.Errorf("%s is no image", c.Digest)
	}
	d := tarball.Descriptor{Config: blobName(c.Config), RepoTags: []string{name}, Layers: []string{}, LayerSources: map[v1.Hash]v1.Descriptor{}}
	for n, l := range c.Layers {
		d.Layers = append(d.Layers, blobName(l.Digest))
		d.LayerSources[config.RootFS.DiffIDs[n]] = v1.Descriptor{MediaType: l.MediaType, Digest: l.Digest, Size: l.Size}
	}
	return d, nil
}

// open gives the bytes of a file. Those of a blob are checked when they have been read to their end.
func (b *Bundle) open(e member) (io.ReadCloser, error) {
	if e.data != nil {
		return io.NopCloser(bytes.NewReader(e.data)), nil
	}
	r, _, err := b.Blob(e.blob)
	return r, err
}

// toDir writes the files into a new directory.
func (b *Bundle) toDir(path string, list []member, counted func(io.Reader) io.Reader) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there already: name a directory that is not", path)
	}
	path = filepath.Clean(path)
	tmp, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	for _, e := range list {
		name := filepath.Join(tmp, filepath.FromSlash(e.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := b.toNew(name, e, counted); err != nil {
			return err
		}
	}
	return os.Rename(tmp, path)
}

func (b *Bundle) toNew(name string, e member, counted func(io.Reader) io.Reader) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(b.copy(f, e, counted), f.Sync(), f.Close())
}

// toFile writes the files into a tar.
func (b *Bundle) toFile(path string, list []member, counted func(io.Reader) io.Reader) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // nothing is left of a file that was not finished; one that was has its own name
	defer f.Close()
	w := tar.NewWriter(f)
	for _, e := range list {
		h := &tar.Header{Name: e.name, Typeflag: tar.TypeReg, Mode: 0o644, Size: e.size, ModTime: time.Unix(0, 0)}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if err := b.copy(w, e, counted); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (b *Bundle) copy(w io.Writer, e member, counted func(io.Reader) io.Reader) error {
	r, err := b.open(e)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, counted(r))
	return err
}
