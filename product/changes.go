package product

import (
	"context"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Changes lists what a directory source has and its commit has not: files that differ from it or
// are not in git, but for those that git ignores and those that Slipway writes. Directories that
// its go.mod replaces modules by are parts of it, wherever they are; one in another repository is
// in no commit of the source.
func (s Source) Changes(ctx context.Context) ([]string, error) {
	changes, err := git.Changes(ctx, s.Directory, madeIn(s.Made, s.Directory)...)
	if err != nil {
		return nil, err
	}
	beyond := s.Beyond()
	if len(beyond) == 0 {
		return changes, nil
	}
	r, err := git.Find(ctx, s.Directory)
	if err != nil {
		return nil, err
	}
	for _, dir := range beyond {
		if other, err := git.Find(ctx, dir); err != nil || other.Root != r.Root {
			changes = append(changes, dir)
			continue
		}
		more, err := git.Changes(ctx, dir, madeIn(s.Made, dir)...)
		if err != nil {
			return nil, err
		}
		changes = append(changes, more...)
	}
	return changes, nil
}

// Beyond returns the directories outside of a directory source that its go.mod replaces modules
// by: the go command compiles their files.
func (s Source) Beyond() []string {
	file := filepath.Join(s.Directory, "go.mod")
	text, err := regular.Read(file)
	if s.Directory == "" || err != nil {
		return nil
	}
	f, err := modfile.Parse(file, text, nil)
	if err != nil {
		return nil // the go command will report it
	}
	var all []string
	for _, r := range f.Replace {
		dir := filepath.FromSlash(r.New.Path)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(s.Directory, dir)
		}
		if r.New.Version == "" && !disk.Within(s.Directory, dir) {
			all = append(all, dir)
		}
	}
	return all
}
