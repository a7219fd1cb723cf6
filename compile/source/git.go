package source

import (
	"context"
	"fmt"
	"os"

	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/product"
)

// dirty follows the commit in the revision of a source that is not all of it.
const dirty = "-dirty"

const giveThem = "commit the directory to git, or give revision and created in slipway.yaml"

// directory fills in what slipway.yaml leaves out from the directory's git repository: HEAD, with
// "-dirty" where the source has [product.Source.Changes], and its commit time.
func directory(ctx context.Context, s product.Source) (Tree, error) {
	if fi, err := os.Stat(s.Directory); err != nil || !fi.IsDir() {
		return Tree{}, fmt.Errorf("source %s: %s is not a directory", s.Name, s.Directory)
	}
	if err := CheckFiles(ctx, s.Directory); err != nil {
		return Tree{}, fmt.Errorf("source %s: %w", s.Name, err)
	}
	if s.Revision != "" && !s.Created.IsZero() {
		return Tree{Source: s, Dir: s.Directory}, nil
	}
	head, err := git.Head(ctx, s.Directory)
	if err != nil {
		return Tree{}, fmt.Errorf("source %s: %w: %s", s.Name, err, giveThem)
	}
	if s.Created.IsZero() {
		s.Created = head.Time
	}
	if s.Revision == "" {
		changes, err := s.Changes(ctx)
		if err != nil {
			return Tree{}, fmt.Errorf("source %s: %w", s.Name, err)
		}
		s.Revision = head.Hash
		if len(changes) > 0 {
			s.Revision += dirty
		}
	}
	return Tree{Source: s, Dir: s.Directory}, nil
}
