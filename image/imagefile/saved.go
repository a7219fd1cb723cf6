package imagefile

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// saved is an image of manifest.json, as docker save writes it
// (https://github.com/moby/moby/blob/v28.0.0/image/tarexport/tarexport.go).
type saved struct {
	Config   string
	RepoTags []string
	Layers   []string
}

func (f *File) readSaved() error {
	raw, err := read(f.files, "manifest.json", oci.MaxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		if err := misnamed(f.files, "manifest.json"); err != nil {
			return err
		}
		return errors.New("it has no manifest.json, so it is not an archive of docker save: " +
			"for an archive of an OCI layout, write oci-archive:FILE")
	}
	if err != nil {
		return err
	}
	var list []saved
	if err := oci.Decode("manifest.json", raw, &list, oci.MaxValues); err != nil {
		return err
	}
	list, lacks := chooseSaved(list, f.ref.Name)
	if lacks != nil && f.ref.Name == "" {
		return lacks
	}
	f.layout, err = readIndex(f.files)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	seen := map[v1.Hash]bool{}
	for _, s := range list {
		i, err := f.image(s)
		if err != nil {
			return err
		}
		if !seen[i.digest] && i.Platform.IsImage() {
			seen[i.digest] = true
			f.images = append(f.images, i)
		}
	}
	if err := f.addListed(seen); err != nil || len(f.images) > 0 {
		return err
	}
	return lacks
}

// addListed adds the images for other platforms. Docker's containerd store lists one image of an
// index in manifest.json, and the index in index.json under the same name. Of two indexes with that
// image, manifest.json has one name.
func (f *File) addListed(seen map[v1.Hash]bool) error {
	if f.layout == nil {
		return nil
	}
	for _, e := range f.layout.top {
		if !e.MediaType.IsIndex() || f.ref.Name != "" && normal(e.Annotations[imageName]) != normal(f.ref.Name) {
			continue
		}
		images, absent, err := f.layout.images([]entry{e})
		if err != nil {
			return err
		}
		if len(seen) > 0 && !slices.ContainsFunc(images, func(i *Image) bool { return seen[i.digest] }) {
			continue
		}
		f.absent = append(f.absent, absent...)
		for _, i := range images {
			if !seen[i.digest] {
				seen[i.digest], i.file = true, f
				f.images = append(f.images, i)
			}
		}
	}
	return nil
}

// chooseSaved returns the images of a name. There are several if they are for different platforms.
// Without a name, there must not be two.
func chooseSaved(list []saved, wanted string) ([]saved, error) {
	var all []string
	var found []saved
	configs := map[string]bool{}
	for _, s := range list {
		all = append(all, s.RepoTags...)
		configs[s.Config] = true
		if slices.ContainsFunc(s.RepoTags, func(t string) bool { return normal(t) == normal(wanted) }) {
			found = append(found, s)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	switch {
	case len(list) == 0:
		return nil, errors.New("manifest.json lists no image: save one")
	case wanted == "" && len(configs) > 1 && len(all) > 1:
		return nil, fmt.Errorf("manifest.json lists several images: add the name of one, %s", quoted(all))
	case wanted == "":
		return list, nil
	case len(found) == 0 && len(all) == 0:
		return nil, errors.New("manifest.json names no image: omit the name")
	case len(found) == 0:
		return nil, fmt.Errorf("manifest.json lists no image %.200q: use %s", wanted, quoted(all))
	}
	return found, nil
}

// normal returns a name with registry and tag, as docker load reads it.
func normal(text string) string {
	if t, err := name.NewTag(text); err == nil {
		return t.Name()
	}
	return text
}

// image reads the configuration of an image of manifest.json. A manifest of index.json with that
// configuration and compressed layers is the manifest that was built or pulled.
func (f *File) image(s saved) (*Image, error) {
	file, err := f.named(s.Config)
	if err != nil {
		return nil, err
	}
	raw, err := read(f.files, file, oci.MaxConfig)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	d, err := describe(raw)
	if err != nil {
		return nil, err
	}
	if hex := digits.FindString(path.Base(file)); hex != "" && hex != d.Digest.Hex {
		return nil, fmt.Errorf("configuration %.200q is damaged: its bytes have the digest %s: save the image again",
			file, d.Digest)
	}
	i := &Image{file: f, digest: d.Digest, RawConfig: raw, Config: &v1.ConfigFile{}, layers: []string{}}
	if err := oci.Decode("configuration "+d.Digest.String(), raw, i.Config, oci.MaxValues); err != nil {
		return nil, err
	}
	i.Platform = platform.FromConfig(i.Config)
	m, err := f.manifest(d.Digest)
	if err != nil {
		return nil, err
	}
	if m != nil {
		i.Tree, i.digest, i.layers = m.Tree, m.Desc.Digest, nil
		return i, nil
	}
	for _, l := range s.Layers {
		file, err := f.named(l)
		if err != nil {
			return nil, err
		}
		i.layers = append(i.layers, file)
	}
	return i, nil
}

var digits = lazyregexp.New(`[0-9a-f]{64}`)

// named returns the member that a name of manifest.json means. Docker on Windows wrote backslashes.
func (f *File) named(text string) (string, error) {
	file, err := clean(text)
	if err != nil || !strings.Contains(file, `\`) {
		return file, err
	}
	if r, _, err := f.files.open(file); err == nil {
		r.Close()
		return file, nil
	}
	return clean(strings.ReplaceAll(file, `\`, "/"))
}

// manifest returns the manifest that index.json lists with a configuration, if all its layers are
// compressed: those of Docker's older stores are not, and no builder has seen that manifest.
func (f *File) manifest(config v1.Hash) (*node, error) {
	if f.layout == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	var found *node
	for e := range below(f.layout.top) {
		n := e.node
		if n == nil || n.Config == nil || n.IsArtifact() || isProof(e.Descriptor) || n.Config.Digest != config ||
			slices.ContainsFunc(n.Layers, isPlain) {
			continue
		}
		if found != nil && found.Desc.Digest != n.Desc.Digest {
			return nil, fmt.Errorf("index.json lists two manifests with the configuration %s, %s and %s: "+
				"write %s: and add @DIGEST", config, found.Desc.Digest, n.Desc.Digest, OCIArchive)
		}
		found = n
	}
	return found, nil
}

func isPlain(d v1.Descriptor) bool {
	switch d.MediaType {
	case types.OCIUncompressedLayer, types.OCIUncompressedRestrictedLayer, types.DockerUncompressedLayer:
		return true
	}
	return false
}
