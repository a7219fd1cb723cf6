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
	"github.com/slipway-dev/slipway/lock"
)

// PushFiles puts the files of the complete release in dir, those that its checksums list, and these
// with their signatures, next to the plan. An existing release must be the same, but for other
// signatures of the same key, if that is not nil.
func (p *Plan) PushFiles(ctx context.Context, dir string, key *signature.PublicKey) error {
	l, err := lock.Read(filepath.Join(dir, lock.Name))
	if err == nil && (l.Name != p.Name || l.Version != p.Version) {
		err = fmt.Errorf("%s is of %s %s, not of %s %s: another command has written it meanwhile: merge again into a directory of its own, with -out", filepath.Join(dir, lock.Name), l.Name, l.Version, p.Name, p.Version)
	}
	if err != nil {
		return fmt.Errorf("pushing the files of the release: %w", err)
	}
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

// FetchFiles brings the files of the complete release into dir. It calls claim with their names
// before it writes the first, and complete before the checksums, which are the last. It returns the
// names of the files.
func (p *Plan) FetchFiles(ctx context.Context, dir string, claim, complete func(names []string) error) ([]string, error) {
	files, err := fetch(ctx, p.store, p.client, p.tag(".release"), typeRelease, "merge the parts with -push first")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	last := len(names) - 1
	if last < 0 || names[last] != evidence.SumsName {
		return nil, fmt.Errorf("%s does not end with %s: no slipway made it", p.tag(".release"), evidence.SumsName)
	}
	if err := claim(names); err != nil {
		return nil, err
	}
	if err := write(p.store, dir, files[:last]); err != nil {
		return nil, err
	}
	if err := complete(names); err != nil {
		return nil, err
	}
	return names, write(p.store, dir, files[last:])
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
