package product

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/disk"
)

const basesLockHead = `# What the bases of slipway.yaml stand for. slipway bases writes this file: commit it, and read what changes in it.
`

// EncodeBases returns the bytes of bases.lock.yaml.
func EncodeBases(list []LockedBase) ([]byte, error) {
	out := basesLockYAML{APIVersion: APIVersion, Bases: []lockedBaseYAML{}}
	for _, e := range list {
		y := lockedBaseYAML{e.Base, e.Platform.String(), e.Reference, e.Digest.String(), e.OSVersion, ""}
		if !e.Created.IsZero() {
			y.Created = e.Created.UTC().Format(time.RFC3339)
		}
		out.Bases = append(out.Bases, y)
	}
	b := bytes.NewBufferString(basesLockHead)
	enc := yaml.NewEncoder(b)
	enc.SetIndent(2)
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("encoding %s: %w", BasesLock, err)
	}
	return b.Bytes(), nil
}

// WriteBases writes bases.lock.yaml next to the product's slipway.yaml. While another process has
// locked that directory, it waits, which it tells through the callback, once.
func WriteBases(ctx context.Context, p *Product, list []LockedBase, waiting func()) error {
	b, err := EncodeBases(list)
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(p.Path), BasesLock)
	if err := disk.WriteAlone(ctx, path, b, disk.ModeFile, waiting); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
