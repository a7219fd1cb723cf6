package reproduce

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Statement reads the statement of the release at the path that was opened, and returns it with the
// directory of its files. It must be signed by the keys of the policy, if there are any; a bundle has
// a signed one only.
func (o *Original) Statement(path string, p evidence.Policy, pr *progress.Printer) (*provenance.Statement, string, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, "", err
	}
	var r *evidence.Report
	dir := path
	switch signed := len(p.Keys) > 0; {
	case !fi.IsDir():
		dir = filepath.Dir(path)
		r, err = evidence.Verify(evidence.FromBundles([]string{path}, o.bundles), p)
	case signed:
		r, err = evidence.ReadDirStatements(path, p)
	default:
		return unsigned(path, pr)
	}
	if err != nil {
		return nil, "", err
	}
	r.Tell(pr)
	return r.Statement, dir, nil
}

// unsigned reads the statement in the directory of a release.
func unsigned(dir string, pr *progress.Printer) (*provenance.Statement, string, error) {
	path := filepath.Join(dir, evidence.Provenance)
	text, err := regular.Given(path, 1<<20)
	if err != nil {
		return nil, "", fmt.Errorf("reading the statement: %w: name the directory of a release", err)
	}
	s, err := provenance.Decode(text)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	pr.Printf("the statement was not verified: no -key was given")
	return s, dir, nil
}
