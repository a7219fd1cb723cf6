package bundle

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// onlyOwn returns an error for a file that is not of the image: another reader might take it for
// a part of that, and it is not signed. A link is not a file.
func (l *ImageLayout) onlyOwn() error {
	c := Contents{Images: []Image{l.Image}}
	metadata, layers, err := c.order()
	if err != nil {
		return fmt.Errorf("%s: %w", l.dir, err)
	}
	const regular = fs.FileMode(0)
	own := map[string]fs.FileMode{"oci-layout": regular, "index.json": regular, "blobs": fs.ModeDir, "blobs/sha256": fs.ModeDir}
	for _, d := range slices.Concat(metadata, layers) {
		own[blobName(d.Digest)] = regular
	}
	return filepath.WalkDir(l.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == l.dir {
			return err
		}
		rel, err := filepath.Rel(l.dir, name)
		if err != nil {
			return err
		}
		if mode, ok := own[filepath.ToSlash(rel)]; !ok || mode != d.Type() {
			return fmt.Errorf("%s has %.200q, which is not of %s: remove it, or extract the image to another directory", l.dir, filepath.ToSlash(rel), l.Image.Name)
		}
		return nil
	})
}
