package product

import (
	"context"
	"io/fs"
)

// Mode returns the mode of a file or directory of a build context, of which fi comes from the
// disk. A file that git tracks has the same mode in every clone: see [git.Modes.Of].
func (p *Product) Mode(ctx context.Context, path string, fi fs.FileInfo) (fs.FileMode, error) {
	return p.modes.Of(ctx, path, fi)
}
