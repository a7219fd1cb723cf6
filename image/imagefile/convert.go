package imagefile

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/sync/semaphore"

	"github.com/slipway-dev/slipway/image/archive"
	"github.com/slipway-dev/slipway/image/deflate"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/store"
)

// record is the kind of the records of layers, by what they unpack to.
const record = "imagefile"

type savedLayer struct {
	name   string // of the member
	diffID v1.Hash
	form   string // its compression
	key    string // of its record; "" if its digest is not known before it is read
	size   int64
	result v1.Descriptor
}

// makeManifest brings the layers of an image without a manifest into the store, and makes the
// manifest.
func (i *Image) makeManifest(ctx context.Context, st *store.Store) error {
	layers, wanted, err := i.savedLayers(st)
	if err != nil {
		return err
	}
	if err := i.convertAll(ctx, st, wanted); err != nil {
		return err
	}
	config, err := describe(i.RawConfig)
	if err != nil {
		return err
	}
	config.MediaType = types.OCIConfigJSON
	m := v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: config, Layers: []v1.Descriptor{},
	}
	for _, l := range layers {
		m.Layers = append(m.Layers, l.result)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	d, err := describe(raw)
	if err == nil {
		i.Tree, err = oci.Parse(d, raw)
	}
	return err
}

// savedLayers returns the layers of the image, of which equal ones are one, and those that the
// store lacks.
func (i *Image) savedLayers(st *store.Store) (all, wanted []*savedLayer, err error) {
	type identity struct {
		name   string
		diffID v1.Hash
	}
	seen := map[identity]*savedLayer{}
	for n, file := range i.layers {
		l := &savedLayer{name: file, diffID: i.Config.RootFS.DiffIDs[n]}
		if known := seen[identity{file, l.diffID}]; known != nil {
			all = append(all, known)
			continue
		}
		seen[identity{file, l.diffID}] = l
		all = append(all, l)
		if err := i.inspect(l); err != nil {
			return nil, nil, err
		}
		if l.key != "" {
			found, err := st.Recall(record, l.key, &l.result)
			if err != nil {
				return nil, nil, err
			}
			if found && st.HasAll(l.result.Digest, l.result.Size) {
				continue
			}
		}
		wanted = append(wanted, l)
	}
	return all, wanted, nil
}

// inspect finds out how a layer is compressed, and so the key of its record. Of one that stays as
// it is, the digest is known if the name of its file has it.
func (i *Image) inspect(l *savedLayer) error {
	if l.diffID.Algorithm != "sha256" {
		return fmt.Errorf("the configuration lists the layer %q, which is not of sha256: build the image with that",
			l.diffID)
	}
	r, size, err := i.file.files.open(l.name)
	if err != nil {
		return fmt.Errorf("reading layer %s: %w", l.diffID, err)
	}
	defer r.Close()
	l.size = size
	if l.form, err = compression(bufio.NewReaderSize(r, archive.HeadSize)); err != nil {
		return fmt.Errorf("reading layer %.200q: %w", l.name, bare(err))
	}
	hex := digits.FindString(path.Base(l.name))
	switch {
	case mediaTypes[l.form] == "":
		l.key = fmt.Sprintf("%s %d", l.diffID, deflate.Format)
	case hex != "":
		l.key = l.diffID.String() + " as " + hex
	}
	return nil
}

// mediaTypes are those of layers that stay as they are, by their compression.
var mediaTypes = map[string]types.MediaType{archive.Gzip: types.OCILayer, archive.Zstd: types.OCILayerZStd}

// compression returns the compression of what r begins with.
func compression(r *bufio.Reader) (string, error) {
	head, err := r.Peek(archive.HeadSize)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return archive.Compression(head), err
}

func (i *Image) convertAll(ctx context.Context, st *store.Store, wanted []*savedLayer) error {
	if len(wanted) == 0 {
		return nil
	}
	var total v1.Descriptor
	for _, l := range wanted {
		total.Size += l.size
	}
	if err := st.Room(total); err != nil {
		return err
	}
	read := func(ctx context.Context, l *savedLayer, task *progress.Task) error {
		if err := i.convert(ctx, st, l, task); err != nil {
			return fmt.Errorf("layer %.200q: %w", l.name, err)
		}
		if l.key == "" {
			return nil
		}
		return st.Record(record, l.key, l.result)
	}
	return readAll(ctx, i.file, total.Size, wanted, read)
}

// compressors bounds how many layers are compressed at a time. Each is on all cores.
var compressors = semaphore.NewWeighted(2)

// convert brings a layer into the store: as it is if it is compressed in a form that layers have,
// and else as gzip.
func (i *Image) convert(ctx context.Context, st *store.Store, l *savedLayer, task *progress.Task) error {
	from, _, err := i.file.files.open(l.name)
	if err != nil {
		return err
	}
	defer from.Close()
	b, err := st.Create()
	if err != nil {
		return err
	}
	defer b.Abort()
	raw, diff := bufio.NewReaderSize(progress.Reader(ctx, from, task), 1<<16), sha256.New()
	form, err := compression(raw)
	mediaType, stays := mediaTypes[form]
	switch {
	case err != nil:
	case form != l.form:
		err = errors.New("it changed while it was read: save the image again")
	case stays:
		err = keep(b, raw, diff)
	default:
		mediaType = types.OCILayer
		if err := compressors.Acquire(ctx, 1); err != nil {
			return err
		}
		defer compressors.Release(1)
		err = compress(b, raw, diff)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return bare(err)
	}
	if got := oci.Sum(diff); got != l.diffID {
		return fmt.Errorf("it is damaged: it unpacks to %s, and the configuration lists %s: save the image again",
			got, l.diffID)
	}
	if hex := digits.FindString(path.Base(l.name)); stays && hex != b.Digest().Hex {
		l.key = "" // what the name has is not the digest
	}
	l.result = v1.Descriptor{MediaType: mediaType}
	l.result.Digest, l.result.Size, err = b.Commit()
	return err
}

// keep copies a compressed layer, and writes to diff what it unpacks to.
func keep(to io.Writer, raw io.Reader, diff io.Writer) error {
	all := io.TeeReader(raw, to)
	plain, err := archive.Decompress(all)
	if err != nil {
		return err
	}
	defer plain.Close()
	if _, err := io.Copy(diff, plain); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, all) // bytes behind the compressed data
	return err
}

// compress compresses a layer, as package layer compresses those of Slipway.
func compress(to io.Writer, raw io.Reader, diff io.Writer) error {
	plain, err := archive.Decompress(raw) // of bzip2 and xz, which layers do not have
	if err != nil {
		return err
	}
	defer plain.Close()
	buffered := bufio.NewWriterSize(to, 1<<20)
	z := deflate.NewGzip(buffered, nil)
	_, err = io.Copy(io.MultiWriter(z, diff), plain)
	if end := z.Close(); err == nil { // which ends its goroutines
		err = end
	}
	if err != nil {
		return err
	}
	return buffered.Flush()
}
