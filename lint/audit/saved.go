package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lint"
)

// saved reads manifest.json of docker save.
func (r Reader) saved(ctx context.Context, from string, all files) ([]lint.Index, error) {
	raw, err := all.read("manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has neither index.json nor manifest.json: it is no archive of images", from)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	var images []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := oci.CheckJSON("manifest.json", raw, 1<<20); err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	if err := json.Unmarshal(raw, &images); err != nil {
		return nil, fmt.Errorf("%s: manifest.json: %w", from, err)
	}
	var list []lint.Index
	for _, i := range images {
		name := i.Config
		if len(i.RepoTags) > 0 {
			name = i.RepoTags[0]
		}
		index := lint.Index{
			Name: from + ": " + name, Single: true, Entries: []lint.Entry{savedEntry(all, i.Config, i.Layers)},
		}
		if err := r.Deep.look(ctx, &index, savedLayers(all, index.Entries[0], i.Layers)); err != nil {
			return nil, err
		}
		list = append(list, index)
	}
	return list, nil
}

func savedEntry(all files, config string, layers []string) (e lint.Entry) {
	raw, err := all.read(path.Clean("/" + config)[1:])
	if err != nil {
		return missed(e, err)
	}
	if e.Config, err = v1.ParseConfigFile(bytes.NewReader(raw)); err != nil {
		e.Fault = fmt.Errorf("%s: %w", config, err)
		return e
	}
	for _, l := range layers {
		if !all.has(path.Clean("/" + l)[1:]) {
			e.Missing = true
		}
	}
	if len(e.Config.RootFS.DiffIDs) == len(layers) {
		for _, h := range e.Config.RootFS.DiffIDs {
			e.Layers = append(e.Layers, v1.Descriptor{MediaType: types.DockerUncompressedLayer, Digest: h})
		}
	}
	return e
}

// savedLayers returns what opens the layers of an entry, whose tars have these names. They have no
// digest but the one in the configuration.
func savedLayers(all files, e lint.Entry, names []string) opener {
	return func(d v1.Descriptor) (io.ReadCloser, error) {
		for n, l := range e.Layers {
			if l.Digest == d.Digest {
				return all.open(path.Clean("/" + names[n])[1:])
			}
		}
		return nil, fs.ErrNotExist
	}
}
