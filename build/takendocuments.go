package build

import (
	"encoding/base64"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/lock"
)

// keepDocuments notes the manifest and the configuration of an image in a file, as those of bases
// are: with them and the layers, the release can be made again without the file.
func (b *Builder) keepDocuments(t taken) error {
	config, err := b.store.Get(*t.manifest.Config)
	if err != nil {
		return err
	}
	b.noted.mu.Lock()
	defer b.noted.mu.Unlock()
	for h, raw := range map[v1.Hash][]byte{t.manifest.Desc.Digest: t.manifest.Raw, t.manifest.Config.Digest: config} {
		if len(raw) > maxDocument {
			continue
		}
		m := lock.Material{
			URI: provenance.FileURI(t.from) + "@" + h.String(), SHA256: h.Hex,
			Content: base64.StdEncoding.EncodeToString(raw),
		}
		if !slices.Contains(b.noted.documents, m) {
			b.noted.documents = append(b.noted.documents, m)
		}
	}
	return nil
}
