package release

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/inputs"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/program"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/lock"
)

// statement returns the provenance of the release. manifest is release.yaml, nil for none.
func (c *run) statement(l *lock.Lock, manifest []byte) (*provenance.Statement, error) {
	in := provenance.Inputs{Materials: c.materials, Archive: inputs.Name(l.Name, l.Version), SourceDateEpoch: c.described.SourceDateEpoch, Builder: c.options.Builder}
	if manifest != nil {
		sum := sha256.Sum256(manifest)
		in.Files = append(in.Files, provenance.File{Name: Manifest, SHA256: hex.EncodeToString(sum[:])})
	}
	return provenance.Make(l, in)
}

// writeProvenance writes the statement, also with its signature if there is one, and the archive of
// inputs, and returns their names.
func (c *run) writeProvenance() ([]string, error) {
	s := c.stated
	text, err := s.Encode()
	if err == nil {
		err = disk.Write(filepath.Join(c.out, evidence.Provenance), text, disk.ModeFile)
	}
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", evidence.Provenance, err)
	}
	archive := s.Predicate.BuildDefinition.ExternalParameters.Inputs
	n := slices.IndexFunc(c.materials, func(m lock.Material) bool { return m.URI == archive })
	if n < 0 {
		return nil, fmt.Errorf("writing %s: build did not make it: run again", archive)
	}
	h := v1.Hash{Algorithm: "sha256", Hex: c.materials[n].SHA256}
	content := layer.Content{Digest: h, Open: func() (io.ReadCloser, error) { return c.store.Open(h) }}
	if err := program.Copy(content, filepath.Join(c.out, archive), disk.ModeFile); err != nil {
		return nil, fmt.Errorf("writing %s: %w", archive, err)
	}
	signed, err := c.writeSigned()
	return append(signed, evidence.Provenance, archive), err
}
