package handoff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// PushFiles puts the files of the complete release in dir, those that its checksums list, and these
// with their signatures, next to the plan. An existing release must be the same, but for other
// signatures of the same key, if that is not nil.
func (p *Plan) PushFiles(ctx context.Context, dir string, key *signature.PublicKey) error {
	l, err := lock.Read(filepath.Join(dir, lock.Name))
	if err == nil && (l.Name != p.Name || l.Version != p.Version) {
		err = fmt.Errorf("%s is of %s %s, not of %s %s: another command has written it meanwhile: merge again into "+
			"a directory of its own, with -out", filepath.Join(dir, lock.Name), l.Name, l.Version, p.Name, p.Version)
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
	if _, err := p.pushDir(ctx, typeRelease, p.tag(".release"), dir, names); err != nil {
		return fmt.Errorf("pushing the files of the release: %w", err)
	}
	return nil
}

// FetchFiles fetches the files of the complete release into dir, and returns their names. claim is
// called with the names before the first is written, and complete before the checksums, which are
// the last.
func (p *Plan) FetchFiles(ctx context.Context, dir string,
	claim, complete func(names []string) error,
) ([]string, error) {
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
	if err := p.fit(files); err != nil {
		return nil, fmt.Errorf("%s: %w", p.tag(".release"), err)
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

// fit returns an error unless the files of a release, which are in the store, are those that the
// checksums among them list, with their digests, and signatures of the checksums.
func (p *Plan) fit(files []file) error {
	text, err := find(files, evidence.SumsName)
	if err != nil {
		return err
	}
	in, err := p.store.Open(text.digest)
	if err != nil {
		return err
	}
	defer in.Close()
	sums, err := evidence.ReadSums(in)
	if err != nil {
		return err
	}
	for _, f := range files {
		if slices.Contains([]string{evidence.SumsName, evidence.SumsBundle, evidence.SumsSignature}, f.name) {
			continue
		}
		switch sum, ok := sums[f.name]; {
		case !ok:
			return fmt.Errorf("it has %.200q, which its %s does not list: merge the parts again", f.name,
				evidence.SumsName)
		case sum != f.digest.Hex:
			return fmt.Errorf("its %.200q is sha256:%s, and by its %s sha256:%s: merge the parts again",
				f.name, f.digest.Hex, evidence.SumsName, sum)
		}
		delete(sums, f.name)
	}
	if left := slices.Sorted(maps.Keys(sums)); len(left) > 0 {
		return fmt.Errorf("it lacks %.200q, which its %s lists: merge the parts again", left[0], evidence.SumsName)
	}
	return nil
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

// maxSignature bounds a signature of the checksums in bytes.
const maxSignature = 1 << 20

// resigned reports whether the release in the registry has the files in dir, and other signatures
// of the same key over the same checksums: those of some signers are random, and another machine
// does not find them.
func (p *Plan) resigned(ctx context.Context, dir string, names []string, key *signature.PublicKey) (bool, error) {
	ref := p.tag(".release")
	held, err := transfer.New(p.client).Get(ctx, ref)
	switch outcome.Of(err) {
	case outcome.There:
	case outcome.Absent:
		return false, nil
	case outcome.Broken, outcome.Unread, outcome.Unasked:
		return false, fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
	}
	tree, err := oci.Parse(held.Descriptor, held.Manifest)
	if err != nil {
		return false, err
	}
	there, err := filesOf(tree)
	if err != nil || tree.ArtifactType() != typeRelease || len(there) != len(names) {
		return false, nil //nolint:nilerr // then it is another one, which push reports
	}
	sums, err := regular.Read(filepath.Join(dir, evidence.SumsName))
	if err != nil {
		return false, err
	}
	open := transfer.New(p.client).FromRegistry(ctx, []transfer.Remote{{Repo: ref.Context(), Tree: tree}}).Open
	checks := map[string]func(*signature.PublicKey, []byte, []byte) error{
		evidence.SumsBundle:    signature.VerifyFile,
		evidence.SumsSignature: signature.VerifyPlain,
	}
	for _, f := range there {
		if !slices.Contains(names, f.name) {
			return false, nil
		}
		check := checks[f.name]
		if check == nil {
			here, _, err := read(dir, f.name)
			if err != nil || here != f {
				return false, err
			}
			continue
		}
		in, err := open(f.digest)
		if err != nil {
			return false, fmt.Errorf("reading %s of %s: %w", f.name, ref, err)
		}
		text, err := io.ReadAll(io.LimitReader(in, maxSignature))
		in.Close()
		if err != nil || check(key, text, sums) != nil {
			return false, err
		}
	}
	return true, nil
}
