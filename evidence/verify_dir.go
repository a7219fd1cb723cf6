package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
)

// telling are the files that state what a release is, or load it. One that is in a directory must
// be listed by the checksums there.
var telling = []string{lock.Name, Provenance, SignedProvenance, distfile.Manifest, distfile.LinuxScript, distfile.WindowsScript}

// VerifyDir checks a directory with the files of a release: the signature of its checksums, every
// file that these list and that is there, and the signed statements, of which the checksums list
// one. Statements are files that end in .sigstore.json. It reads every byte of the files.
func VerifyDir(ctx context.Context, dir string, p Policy, pr *progress.Printer) (*Report, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	sums, err := readSums(dir, func(text []byte) error { return verifySums(dir, text, p) })
	if err != nil {
		return nil, err
	}
	rep, err := readListed(dir, sums, p)
	if err != nil {
		return nil, err
	}
	for _, s := range rep.Statement.Subjects {
		if s.Annotations.Kind != provenance.KindFile {
			continue
		}
		if have, ok := sums[s.Name]; ok && have != s.Digest.SHA256 {
			return nil, fmt.Errorf("%s: %s lists %.200q with another digest than the signed statement: the two are of different releases", dir, SumsName, s.Name)
		}
	}
	rep.Files, err = compareFiles(ctx, dir, sums, pr)
	return rep, err
}

// ReadDirStatements verifies the statements in a directory: all files that end in .sigstore.json
// but that of the checksums. If there are checksums, they must be signed, and list one of the
// statements. Other files are not read.
func ReadDirStatements(dir string, p Policy) (*Report, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(dir, SumsName)); !errors.Is(err, fs.ErrNotExist) {
		sums, err := readSums(dir, func(text []byte) error { return verifySums(dir, text, p) })
		if err != nil {
			return nil, err
		}
		return readListed(dir, sums, p)
	}
	paths, err := dirStatements(dir)
	if err != nil {
		return nil, err
	}
	return ReadStatements(paths, p)
}

// dirStatements lists the files with statements in a directory.
func dirStatements(dir string) ([]string, error) {
	paths, err := filesIn(dir, StatementSuffix)
	if err != nil {
		return nil, err
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return filepath.Base(path) == SumsBundle })
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no %s: the release was not signed, or its statement was removed: take it from the maintainer again", dir, SignedProvenance)
	}
	return paths, nil
}

// readListed verifies the statements in a directory whose signed checksums are sums. These list,
// by its digest, a statement that counts, so that the files are of the release that it describes,
// and not of an older one that the same key has signed. Further statements, such as that of a
// second builder, must be of the same release.
func readListed(dir string, sums map[string]string, p Policy) (*Report, error) {
	for _, name := range telling {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil && sums[name] == "" {
			return nil, fmt.Errorf("%s: the signed %s does not list %s, which is here: it is of another release, or was added: take the release from the maintainer again", dir, SumsName, name)
		}
	}
	paths, err := dirStatements(dir)
	if err != nil {
		return nil, err
	}
	// what is listed counts before what is not
	slices.SortStableFunc(paths, func(a, b string) int { return compareBool(sums[filepath.Base(b)] != "", sums[filepath.Base(a)] != "") })
	r := newReader(p)
	listed := map[v1.Hash]bool{}
	for _, path := range paths {
		h, err := r.file(path)
		if err != nil {
			return nil, err
		}
		switch want := sums[filepath.Base(path)]; want {
		case "":
		case h.Hex:
			listed[h] = true
		default:
			return nil, changed(path, h.Hex, want)
		}
	}
	signed, err := p.decide([]Material{{From: dir, Anonymous: true}}, r)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(signed, func(s signedStatement) bool { return listed[s.blob] })
	if at < 0 {
		return nil, fmt.Errorf("%s: the signed %s does not list the statement that is here, so the files may be of another release than it: take the release from the maintainer again", dir, SumsName)
	}
	if err := r.oneRelease(signed[at].Statement); err != nil {
		return nil, fmt.Errorf("%s has statements of different releases: %w", dir, err)
	}
	return describe(p, r, signed), nil
}

// oneRelease checks that all statements that were read are of the release of one of them.
func (r *reader) oneRelease(s *provenance.Statement) error {
	for _, k := range r.readBy() {
		for _, other := range r.statements[k] {
			if err := agree(s, other.Statement); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// changed is the error for a file with another digest than the checksums list.
func changed(path, got, want string) error {
	return fmt.Errorf("%s has the digest %s, and by %s %s: it was changed", path, got, SumsName, want)
}
