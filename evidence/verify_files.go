package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/provenance"
)

// maxSums is the largest file of checksums, or release.yaml, that is read, in bytes.
const maxSums = 64 << 20

// Files tells what a directory has of the files that its signed checksums list.
type Files struct {
	Count

	Absent []string `json:"absent,omitempty"`
	// Unlisted are files that the checksums do not list. Nothing is known of them.
	Unlisted []string `json:"unlisted,omitempty"`

	bundles []string
}

// VerifyDir checks a directory with the files of a release: the signature of its checksums, every
// file that these list and that is there, and the signed statements. Statements are files that end
// in .sigstore.json. It reads every byte of the files.
func VerifyDir(ctx context.Context, dir string, p Policy, pr *progress.Printer) (*Report, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	sums, err := readSums(dir, func(text []byte) error { return verifySums(dir, text, p) })
	if err != nil {
		return nil, err
	}
	rep, err := ReadDirStatements(dir, p)
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

// Bundles returns the paths of the bundles in a directory that its checksums list.
func (f *Files) Bundles() []string { return f.bundles }

// ReadDirStatements verifies the statements in a directory: all files that end in .sigstore.json
// but that of the checksums.
func ReadDirStatements(dir string, p Policy) (*Report, error) {
	paths, err := filesIn(dir, StatementSuffix)
	if err != nil {
		return nil, err
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return filepath.Base(path) == SumsBundle })
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no %s: the release was not signed, or its statement was removed: take it from the maintainer again", dir, SignedProvenance)
	}
	return ReadStatements(paths, p)
}

// ReadStatements verifies files with signed statements on one release. As many keys as the policy
// asks for must have signed equal subjects. Files of other keys are counted only.
func ReadStatements(paths []string, p Policy) (*Report, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	r := newReader(p)
	if err := r.files(paths); err != nil {
		return nil, err
	}
	m := []Material{{From: strings.Join(paths, ", ")}}
	signed, err := p.decide(m, r)
	if err != nil {
		return nil, err
	}
	return describe(p, r, signed), nil
}

// files reads Sigstore bundles in files.
func (r *reader) files(paths []string) error {
	for _, path := range paths {
		text, err := readFile(path, signature.MaxBundle)
		if err != nil {
			return err
		}
		h := hashOf(text)
		if r.blobs[h], err = r.parse(h, text); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if p := r.blobs[h].provenance; p != nil {
			p.given = true
		}
	}
	return nil
}

// compareFiles compares the files that are there with their digests.
func compareFiles(ctx context.Context, dir string, sums map[string]string, pr *progress.Printer) (*Files, error) {
	f := &Files{Count: Count{Of: len(sums)}}
	var errs []error
	task := pr.Start("comparing "+dir+" with "+SumsName, progress.Bytes, 0)
	defer task.Fail()
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		got, err := digestFile(ctx, filepath.Join(dir, filepath.FromSlash(name)), task)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, fs.ErrNotExist):
			f.Absent = append(f.Absent, name)
		case err != nil:
			errs = append(errs, err)
		case got != sums[name]:
			errs = append(errs, fmt.Errorf("%s has the digest %s, and by %s %s: it was changed", filepath.Join(dir, name), got, SumsName, sums[name]))
		default:
			f.Have++
			if strings.HasSuffix(name, ".tar.zst") {
				f.bundles = append(f.bundles, filepath.Join(dir, filepath.FromSlash(name)))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	task.Done("%d files", f.Have)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		name := filepath.ToSlash(rel)
		if _, ok := sums[name]; !ok && !slices.Contains([]string{SumsName, SumsBundle, SumsSignature, ".gitignore"}, name) && len(f.Unlisted) < maxProblems {
			f.Unlisted = append(f.Unlisted, name)
		}
		return err
	})
	return f, err
}

func digestFile(ctx context.Context, path string, task *progress.Task) (string, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !fi.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, progress.Reader(ctx, f, task)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// readFile reads a regular file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case fi.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes: %d are read at most", path, fi.Size(), limit)
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s grows while it is read", path)
	}
	return text, err
}

func hashOf(text []byte) v1.Hash {
	h := sha256.New()
	h.Write(text)
	return oci.Sum(h)
}
