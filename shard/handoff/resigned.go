package handoff

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/transfer"
)

// maxSignature bounds a signature of the checksums in bytes.
const maxSignature = 1 << 20

// resigned reports whether the release in the registry has the files in dir, and other signatures of
// the same key over the same checksums: those of some signers are random, and another machine does
// not find them.
func (p *Plan) resigned(ctx context.Context, dir string, names []string, key *signature.PublicKey) (bool, error) {
	ref := p.tag(".release")
	held, err := transfer.New(p.client).Get(ctx, ref)
	switch {
	case network.Missing(err):
		return false, nil
	case err != nil:
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
	checks := map[string]func(*signature.PublicKey, []byte, []byte) error{evidence.SumsBundle: signature.VerifyFile, evidence.SumsSignature: signature.VerifyPlain}
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
