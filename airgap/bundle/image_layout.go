package bundle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
)

// ImageLayout is a directory that [Bundle.Extract] wrote: one image and its referrers.
type ImageLayout struct {
	Image Image
	dir   string
}

// IsImageLayout reports whether a directory is an OCI image layout.
func IsImageLayout(dir string) bool {
	fi, err := os.Stat(filepath.Join(dir, "oci-layout"))
	return err == nil && fi.Mode().IsRegular()
}

// OpenImageLayout reads the documents of a directory. Their digests are compared; layers are not
// read. The bytes that no digest covers have the form that Extract writes, and the directory has
// no other file: other readers read an accepted directory as this package does.
func OpenImageLayout(dir string) (*ImageLayout, error) {
	l := &ImageLayout{dir: dir}
	index, err := l.document("index.json", oci.MaxManifest)
	if err != nil {
		return nil, err
	}
	if err := l.read(index); err != nil {
		return nil, err
	}
	layout, err := l.document("oci-layout", maxNameLen)
	if err != nil {
		return nil, err
	}
	for _, doc := range []struct {
		name      string
		have, own []byte
	}{{"oci-layout", layout, []byte(layoutFile)}, {"index.json", index, l.Image.layoutIndex(l.Image.Tree.Desc)}} {
		if !bytes.Equal(doc.have, doc.own) {
			return nil, fmt.Errorf("%s: its %s is not in the form that slipway writes: "+
				"it was changed, or another version of slipway extracted it: extract it again", dir, doc.name)
		}
	}
	if err := l.onlyOwn(); err != nil {
		return nil, err
	}
	return l, nil
}

// read reads the image of an index.json, and its referrers.
func (l *ImageLayout) read(index []byte) error {
	dir := l.dir
	var m v1.IndexManifest
	if err := oci.Decode(filepath.Join(dir, "index.json"), index, &m, maxValues); err != nil {
		return err
	}
	if len(m.Manifests) == 0 || m.Manifests[0].Annotations[annotationSubjectDigest] != "" {
		return fmt.Errorf("%s: its index.json does not begin with an image: "+
			"it is not a layout that airgap extract wrote", dir)
	}
	reader := &oci.Reader{Get: l.get}
	first := m.Manifests[0]
	name := first.Annotations[annotationImageName]
	if n, err := imagename.Bundled(name, first.Digest); err != nil || n != name {
		return fmt.Errorf("%s: %.200q is not the full name of an image", dir, name)
	}
	var err error
	if l.Image, err = ReadImage(name, v1.Descriptor{MediaType: first.MediaType, Digest: first.Digest, Size: first.Size},
		reader); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	l.Image.Chart = l.Image.isChart()
	for _, d := range m.Manifests[1:] {
		r, err := l.referrer(d, reader)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		l.Image.Referrers = append(l.Image.Referrers, r)
	}
	return nil
}

func (l *ImageLayout) referrer(d v1.Descriptor, reader *oci.Reader) (Referrer, error) {
	subject, err := v1.NewHash(d.Annotations[annotationSubjectDigest])
	if err != nil || d.Annotations[annotationSubjectImage] != l.Image.Name || !l.Image.has(subject) {
		return Referrer{}, fmt.Errorf("%s does not refer to %s", d.Digest, l.Image.Name)
	}
	r := listedReferrer(d, subject)
	if !isText(r.ArtifactType, maxNameLen) {
		return Referrer{}, fmt.Errorf("%s: %.100q is not the type of an artifact", d.Digest, r.ArtifactType)
	}
	return ReadReferrer(r, l.Image.Digest(), reader)
}

// get reads a document and compares its digest.
func (l *ImageLayout) get(d v1.Descriptor) ([]byte, error) {
	b, err := l.document(blobName(d.Digest), oci.MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is %w", d.Digest, oci.ErrAbsent)
	}
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	h.Write(b)
	if got := oci.Sum(h); got != d.Digest {
		return nil, damage("%s has the digest %s", filepath.Join(l.dir, blobName(d.Digest)), got)
	}
	return b, nil
}

func (l *ImageLayout) document(name string, limit int64) ([]byte, error) {
	f, size, err := openFile(filepath.Join(l.dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > limit {
		return nil, fmt.Errorf("%s has %d bytes: at most %d are read", f.Name(), size, limit)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// Open opens a blob. The last Read reports bytes that do not have the digest.
func (l *ImageLayout) Open(h v1.Hash) (io.ReadCloser, error) {
	f, _, err := openFile(filepath.Join(l.dir, filepath.FromSlash(blobName(h))))
	if err != nil {
		return nil, err
	}
	return &checked{r: f, Closer: f, want: h, hash: sha256.New()}, nil
}

// Verify reads every blob of the image and of its referrers, and looks for others.
func (l *ImageLayout) Verify(ctx context.Context, pr *progress.Printer) (blobs int, size int64, err error) {
	c := Contents{Images: []Image{l.Image}}
	metadata, layers, err := c.order()
	if err != nil {
		return 0, 0, err
	}
	task := pr.Start("verifying "+l.dir, progress.Bytes, 0)
	defer task.Fail()
	var errs []error
	for _, d := range append(metadata, layers...) {
		if size > math.MaxInt64-d.Size {
			return 0, 0, fmt.Errorf("%s: its sizes are not those of layers", l.dir)
		}
		f, err := l.Open(d.Digest)
		if err == nil {
			err = progress.Drain(ctx, f, task)
			f.Close()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", l.dir, err))
		}
		blobs, size = blobs+1, size+d.Size
	}
	if ctx.Err() != nil {
		return 0, 0, context.Cause(ctx)
	}
	if err := errors.Join(append(errs, l.onlyOwn())...); err != nil {
		return 0, 0, err
	}
	task.Done("%d blobs, %s", blobs, progress.Size(size))
	return blobs, size, nil
}

// onlyOwn returns an error for a file that is not of the image: another reader might take it for
// a part of that, and it is not signed. A link is not a file.
func (l *ImageLayout) onlyOwn() error {
	c := Contents{Images: []Image{l.Image}}
	metadata, layers, err := c.order()
	if err != nil {
		return fmt.Errorf("%s: %w", l.dir, err)
	}
	own := []string{"oci-layout", "index.json"}
	for _, d := range slices.Concat(metadata, layers) {
		own = append(own, blobName(d.Digest))
	}
	other, err := otherFile(l.dir, own, func(string) bool { return false })
	if other != "" {
		return fmt.Errorf("%s has %.200q, which is not of %s: remove it, or extract the image to another directory",
			l.dir, other, l.Image.Name)
	}
	return err
}

// otherFile returns the first file or directory in dir, with slashes, that is neither one of the
// files own, nor a directory of these, nor ignored.
func otherFile(dir string, own []string, ignored func(name string) bool) (other string, err error) {
	modes := map[string]fs.FileMode{}
	for _, name := range own {
		modes[name] = 0
		for d := path.Dir(name); d != "."; d = path.Dir(d) {
			modes[d] = fs.ModeDir
		}
	}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if mode, ok := modes[rel]; ok && mode == d.Type() || ignored(rel) {
			return nil
		}
		other = rel
		return fs.SkipAll
	})
	return other, err
}
