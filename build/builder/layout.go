package builder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/platform"
)

// maxDocument bounds the documents of a layout.
const maxDocument = 8 << 20

// checkLayout checks that a builder that reports success has made an OCI layout with one image,
// for the platform. What else is in it is for who reads it.
func checkLayout(dir string, p platform.Platform) error {
	var index v1.IndexManifest
	err := read(filepath.Join(dir, "index.json"), &index)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it succeeded and made no OCI layout: try the builder by hand")
	}
	if err != nil {
		return fmt.Errorf("it made an OCI layout that cannot be read: %w", err)
	}
	if n := len(index.Manifests); n != 1 {
		return fmt.Errorf("it made an OCI layout with %d images in place of one: turn off what adds others", n)
	}
	d := index.Manifests[0]
	if !d.MediaType.IsImage() {
		return fmt.Errorf("it made %q in place of an image: turn off attestations", d.MediaType)
	}
	var m v1.Manifest
	if err := read(blob(dir, d.Digest), &m); err != nil {
		return fmt.Errorf("it made an OCI layout without its manifest: %w", err)
	}
	var c v1.ConfigFile
	if err := read(blob(dir, m.Config.Digest), &c); err != nil {
		return fmt.Errorf("it made an OCI layout without its configuration: %w", err)
	}
	if made := platform.FromConfig(&c); !same(made, p) {
		return fmt.Errorf("it made an image for %s: look at --platform in its last FROM", made)
	}
	return nil
}

// same reports whether an image for one platform is what was asked for: a variant that goes
// without saying may be in one of them only.
func same(made, asked platform.Platform) bool {
	made, asked = usual(made), usual(asked)
	return made.OS == asked.OS && made.Architecture == asked.Architecture && made.Variant == asked.Variant
}

func blob(dir string, h v1.Hash) string { return filepath.Join(dir, "blobs", h.Algorithm, h.Hex) }

// read reads a document of a layout.
func read(path string, into any) error {
	b, err := regular.ReadMost(path, maxDocument)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", strings.TrimPrefix(filepath.Base(path), "/"), err)
	}
	return nil
}
