package handoff

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/signature"
)

// PushFiles puts the files of the complete release in dir, those that its checksums list, and these
// with their signatures, next to the plan. A release that is there already must be the same, but for
// other signatures of the same key, if that is not nil.
func (p *Plan) PushFiles(ctx context.Context, dir string, key *signature.PublicKey) error {
	names, err := listed(dir)
	if err != nil {
		return err
	}
	if key != nil {
		if same, err := p.resigned(ctx, dir, names, key); same || err != nil {
			return err
		}
	}
	if err := p.pushDir(ctx, typeRelease, p.tag(".release"), dir, names); err != nil {
		return fmt.Errorf("pushing the files of the release: %w", err)
	}
	return nil
}

// FetchFiles brings the files of the complete release into dir. The checksums are written last,
// after all files were compared with them. It returns the names of the files.
func (p *Plan) FetchFiles(ctx context.Context, dir string) ([]string, error) {
	files, err := fetch(ctx, p.store, p.client, p.tag(".release"), typeRelease, "merge the parts with -push first")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files { // the checksums are the last
		names = append(names, f.name)
	}
	return names, write(p.store, dir, files)
}

// listed returns the names of the files of a release in a directory: those that its checksums list,
// sorted, and then the signatures of the checksums, and these.
func listed(dir string) ([]string, error) {
	sums, err := evidence.Sums(dir)
	if err != nil {
		return nil, err
	}
	all := slices.Sorted(maps.Keys(sums))
	for _, name := range []string{evidence.SumsBundle, evidence.SumsSignature} {
		switch _, err := os.Stat(filepath.Join(dir, name)); {
		case err == nil:
			all = append(all, name)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return append(all, evidence.SumsName), nil
}
