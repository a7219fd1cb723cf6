package product

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// lockedDigest reads a reference without a digest, and its digest, as the lock files next to
// slipway.yaml have them. command writes the file.
func lockedDigest(d *yamlfile.Document, reference, digest *string, command string) v1.Hash {
	if _, err := name.ParseReference(*reference, name.WithDefaultTag("")); err != nil || strings.Contains(*reference, "@") {
		d.Errorf(reference, "%q is not repository:tag: run %s", *reference, howto.Run(command))
	}
	h, err := v1.NewHash(*digest)
	if err != nil || h.Algorithm != "sha256" {
		d.Errorf(digest, "a digest is sha256: and 64 hexadecimal digits: run %s", howto.Run(command))
	}
	return h
}

// encodeLock returns the bytes of a lock file: a comment, and a value in YAML.
func encodeLock(file, head string, v any) ([]byte, error) {
	b := bytes.NewBufferString(head)
	enc := yaml.NewEncoder(b)
	enc.SetIndent(2)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding %s: %w", file, err)
	}
	return b.Bytes(), nil
}
