package audit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/image/archive"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/lint"
)

// savedImage is an image of manifest.json, as docker save writes it.
type savedImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// name is that of the image in messages.
func (i savedImage) name() string {
	if len(i.RepoTags) > 0 {
		return i.RepoTags[0]
	}
	return i.Config
}

// manifestJSON reads manifest.json.
func manifestJSON(all files, prefix string) (images []savedImage, err error) {
	raw, err := all.read(prefix + "manifest.json")
	if err != nil {
		return nil, err
	}
	return images, oci.Decode("manifest.json", raw, &images, 1<<20)
}

// saved reads the older form of docker save, which has manifest.json alone.
func (r Reader) saved(ctx context.Context, from string, all files) ([]lint.Index, error) {
	images, err := manifestJSON(all, "")
	if errors.Is(err, fs.ErrNotExist) {
		if err := misnamed(all); err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		such := ""
		if in, err := filepath.Glob(filepath.Join(from, "*"+distfile.BundleSuffix)); err == nil && len(in) > 0 {
			shortest := slices.MinFunc(in, func(a, b string) int { return len(a) - len(b) })
			such = ": name a file in it, such as " + shortest
		}
		return nil, fmt.Errorf("%s has neither index.json nor manifest.json, so that it is not an archive of "+
			"images%s", from, such)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	if len(images) == 0 {
		return nil, fmt.Errorf("%s: manifest.json lists no image", from)
	}
	promise := promised(from)
	var list []lint.Index
	var names nameList
	for _, i := range images {
		for _, tag := range i.RepoTags {
			names.add("manifest.json", tag, "", i.Config)
		}
		index := lint.Index{
			Name: from + ": " + i.name(), Single: true, Packed: true, Promise: promise,
			Entries: []lint.Entry{i.entry(all)},
		}
		if err := r.Deep.look(ctx, &index, i.layers(all, index.Entries[0])); err != nil {
			return nil, err
		}
		list = append(list, index)
	}
	list[0].Archive = &lint.Archive{Path: from, Ambiguous: names.twice}
	return list, nil
}

// misnamed returns an error for documents under another form of their name.
func misnamed(all files) error {
	names := map[string]int64{}
	switch all := all.(type) {
	case packed:
		for name, f := range all.files {
			names[name] = f.size
		}
	case *inDirectory:
		names = all.below(".")
	}
	return cmp.Or(archive.Misnamed(maps.Keys(names), "index.json"), archive.Misnamed(maps.Keys(names), "manifest.json"))
}

// entry reads an image of manifest.json.
func (i savedImage) entry(all files) (e lint.Entry) {
	if i.Config == "" {
		return missed(e, outcome.Damage(errors.New("manifest.json names no configuration of it")))
	}
	raw, err := all.read(clean(i.Config))
	if err != nil {
		return missed(e, err)
	}
	if want, have, err := i.digests(all); err != nil || want != have {
		return missed(e, outcome.Damage(fmt.Errorf("%s is damaged: its bytes have the digest %s", i.Config, have)))
	}
	if e.Config, err = v1.ParseConfigFile(bytes.NewReader(raw)); err != nil {
		return missed(e, outcome.Damage(fmt.Errorf("%s: %w", i.Config, err)))
	}
	if n := len(e.Config.RootFS.DiffIDs); n != len(i.Layers) {
		return missed(e, outcome.Damage(fmt.Errorf("manifest.json lists %d layers, and %s has %d", len(i.Layers),
			i.Config, n)))
	}
	e.Read = outcome.There
	for n, l := range i.Layers {
		h := e.Config.RootFS.DiffIDs[n]
		e.Layers = append(e.Layers, v1.Descriptor{MediaType: types.DockerLayer, Digest: h})
		f, err := all.stat(clean(l))
		switch outcome.Of(err) {
		case outcome.Absent:
			e.Lost = append(e.Lost, l)
			continue
		case outcome.Broken, outcome.Unread, outcome.Unasked:
			return missed(e, err)
		case outcome.There:
		}
		if f.sum == h || f.sum.Hex == digits.FindString(path.Base(l)) {
			continue
		}
		// a compressed layer under another name is not compared
		if !f.compressed || len(digits.FindString(path.Base(l))) > 0 {
			e.Damaged = append(e.Damaged, fmt.Sprintf("the bytes of %s have the digest %s", l, f.sum))
		}
	}
	return e
}

// layers returns the opener of the layers of an entry, whose only digest is the one in the
// configuration.
func (i savedImage) layers(all files, e lint.Entry) opener {
	return func(d v1.Descriptor) (io.ReadCloser, error) {
		for n, l := range e.Layers {
			if l.Digest == d.Digest {
				return all.open(clean(i.Layers[n]))
			}
		}
		return nil, fs.ErrNotExist
	}
}

// digits are those of a digest.
var digits = lazyregexp.New(`[0-9a-f]{64}`)

// digests returns the digest that the configuration has by its name, and by its bytes.
func (i savedImage) digests(all files) (want, have v1.Hash, err error) {
	f, err := all.stat(clean(i.Config))
	if err != nil {
		return want, have, err
	}
	want = f.sum // of another name nothing is known
	if hex := digits.FindString(path.Base(strings.TrimSuffix(i.Config, ".json"))); hex != "" {
		want.Hex = hex
	}
	return want, f.sum, nil
}
