package reproduce

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/signature"
)

// Statement reads the statement of the release at the path that was opened, and returns it with
// the path of its archive of inputs. If the policy has keys, they must have signed the statement; a
// bundle has a signed one only.
func (o *Original) Statement(path string, p evidence.Policy,
	pr *progress.Printer,
) (*provenance.Statement, string, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, "", err
	}
	var r *evidence.Report
	dir := path
	switch signed := len(p.Keys) > 0; {
	case !fi.IsDir():
		dir = filepath.Dir(path)
		r, err = evidence.Verify(evidence.FromBundles([]string{path}, o.Bundles), p)
	case signed:
		r, err = evidence.ReadDirStatements(path, p)
	default:
		return unsigned(path, pr)
	}
	if err != nil {
		return nil, "", err
	}
	r.Tell(pr)
	return r.Statement, archive(r.Statement, dir), nil
}

// unsigned reads the statement in the directory of a release.
func unsigned(dir string, pr *progress.Printer) (*provenance.Statement, string, error) {
	path := filepath.Join(dir, evidence.Provenance)
	text, err := regular.Given(path, signature.MaxBundle)
	if err != nil {
		return nil, "", fmt.Errorf("reading the statement: %w: name the directory of a release", err)
	}
	s, err := provenance.Decode(text)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	pr.Printf("the statement was not verified: no -key was given")
	return s, archive(s, dir), nil
}

// archive is the path of the archive of inputs of a release in a directory.
func archive(s *provenance.Statement, dir string) string {
	return filepath.Join(dir, filepath.Base(s.Predicate.BuildDefinition.ExternalParameters.Inputs))
}

// Sign signs the statement of the release as it was made here.
func (r *Report) Sign(ctx context.Context, s *signature.Signer) ([]byte, error) {
	text, err := r.Made.Encode()
	if err != nil {
		return nil, err
	}
	return signature.SignStatement(ctx, s, text)
}
