package product

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// WriteBases writes bases.lock.yaml next to the product's slipway.yaml, and puts other references
// into slipway.yaml itself where there are any: both files or none. While another process has
// locked that directory, it waits, which it reports through the callback, once. The callback may
// be nil. A file that would lock nothing is not begun.
func WriteBases(ctx context.Context, p *Product, list []LockedBase, references []yamlfile.Replacement, say disk.Say) error {
	b, err := basesLock.encode(list)
	if err != nil {
		return err
	}
	var files []disk.Content
	path := filepath.Join(filepath.Dir(p.Path), BasesLock)
	if _, err := os.Lstat(path); len(list) > 0 || err == nil { // nothing locked needs no file to commit
		files = append(files, disk.Content{Path: path, Data: b})
	}
	if len(references) > 0 {
		text, err := yamlfile.ReadText(p.Path, maxFile)
		if err != nil {
			return fmt.Errorf("reading %s: %w", p.Path, cause(err))
		}
		if text, err = yamlfile.Replace(p.Path, text, references); err != nil {
			return err
		}
		files = append(files, disk.Content{Path: p.Path, Data: text})
	}
	return disk.Replace(ctx, files, say)
}
