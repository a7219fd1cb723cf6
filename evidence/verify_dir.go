package evidence

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/lock"
)

// mustBeListed are the files that state what a release is, or load it. One that is in a directory
// must be listed by the checksums there.
var mustBeListed = []string{
	lock.Name, Provenance, SignedProvenance, distfile.Manifest, distfile.LinuxScript, distfile.WindowsScript,
}

// VerifyDir checks a directory with the files of a release: the signature of its checksums, every
// file that these list and that is there, and the signed statements, of which the checksums list
// one. Statements are files that end in .sigstore.json, in the directory and given elsewhere.
// VerifyDir reads every byte of the files.
func VerifyDir(ctx context.Context, dir string, p Policy, pr *progress.Printer, statements ...string) (
	*Report, error,
) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	sums, err := readSums(dir, func(text []byte) error { return verifySums(dir, text, p) })
	if err != nil {
		return nil, err
	}
	rep, err := readListed(dir, sums, p, statements)
	if err != nil {
		return nil, err
	}
	for _, s := range rep.Statement.Subjects {
		if s.Annotations.Kind != provenance.KindFile {
			continue
		}
		if have, ok := sums[s.Name]; ok && have != s.Digest.SHA256 {
			return nil, fmt.Errorf("%s: %s lists %.200q with another digest than the signed statement: "+
				"the two are of different releases", dir, SumsName, s.Name)
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
		return readListed(dir, sums, p, nil)
	}
	paths, err := dirStatements(dir)
	if err != nil {
		return nil, err
	}
	return ReadStatements(paths, p)
}

// dirStatements lists the files with statements in a directory.
func dirStatements(dir string) ([]string, error) {
	paths, err := filesIn(dir, StatementSuffix, math.MaxInt)
	if err != nil {
		return nil, err
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return filepath.Base(path) == SumsBundle })
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no %s: the release was not signed, or its statement was removed: "+
			"take it from the maintainer again", dir, SignedProvenance)
	}
	return paths, nil
}

// readListed verifies the statements in a directory whose signed checksums are sums. These list,
// by its digest, a statement that counts, so that the files are of the release that it describes,
// and not of an older one that the same key has signed. Further statements, there or given, such as
// that of a second builder, must be of the same release.
func readListed(dir string, sums map[string]string, p Policy, given []string) (*Report, error) {
	for _, name := range mustBeListed {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil && sums[name] == "" {
			return nil, fmt.Errorf("%s: the signed %s does not list %s, which is here: it is of another release, "+
				"or was added: take the release from the maintainer again", dir, SumsName, name)
		}
	}
	paths, err := dirStatements(dir)
	if err != nil {
		return nil, err
	}
	// listed files, which have a digest, count before others
	slices.SortStableFunc(paths, func(a, b string) int {
		return cmp.Compare(len(sums[filepath.Base(b)]), len(sums[filepath.Base(a)]))
	})
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
	if err := r.files(given); err != nil {
		return nil, err
	}
	signed, err := p.decide([]Material{{From: dir, Anonymous: true}}, r)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(signed, func(s signedStatement) bool { return listed[s.blob] })
	if at < 0 {
		return nil, fmt.Errorf("%s: the signed %s does not list the statement that is here, "+
			"so the files may be of another release than it: take the release from the maintainer again", dir, SumsName)
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

// changed is the error for a file with another digest than the checksums list.
func changed(path, got, want string) error {
	return fmt.Errorf("%s has the digest %s, and by %s %s: it was changed", path, got, SumsName, want)
}

// CompareDir compares the files of a directory with its checksums, without verifying signatures.
func CompareDir(ctx context.Context, dir string, pr *progress.Printer) (*Files, error) {
	sums, err := Sums(dir)
	if err != nil {
		return nil, err
	}
	return compareFiles(ctx, dir, sums, pr)
}

// Sums returns the digests, in hex, that the checksums of a directory list, by the names of files
// with slashes. Signatures are not verified.
func Sums(dir string) (map[string]string, error) {
	return readSums(dir, func([]byte) error { return nil })
}

// readSums returns the digests, in hex, that the checksums of a directory list, if check accepts
// their text.
func readSums(dir string, check func(text []byte) error) (map[string]string, error) {
	file := filepath.Join(dir, SumsName)
	text, err := readFile(file, maxSums)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing: without it nothing tells which files the release "+
			"has: copy it from the release", file)
	}
	if err != nil {
		return nil, err
	}
	if err := check(text); err != nil {
		return nil, err
	}
	all, err := parseSums(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	return all, nil
}

// ReadSums returns the digests, in hex, that a file of checksums lists, by the names of files with
// slashes. Signatures are not verified.
func ReadSums(r io.Reader) (map[string]string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSums+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxSums:
		return nil, fmt.Errorf("%s has more than %d bytes", SumsName, maxSums)
	}
	all, err := parseSums(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", SumsName, err)
	}
	return all, nil
}

// parseSums parses checksums. An error begins with the line.
func parseSums(text []byte) (map[string]string, error) {
	all := map[string]string{}
	for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		sum, name, ok := strings.Cut(line, "  ")
		if b, err := hex.DecodeString(sum); !ok || err != nil || len(b) != sha256.Size ||
			!filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name || all[name] != "" {
			return nil, fmt.Errorf("%d: it is not a line of sha256sum for a file of the release, or names one twice",
				n+1)
		}
		all[name] = strings.ToLower(sum)
	}
	return all, nil
}

// CheckSums verifies the signatures next to a file of checksums. The signature of one key is
// enough.
func CheckSums(path string, p Policy) error {
	text, err := readFile(path, maxSums)
	if err != nil {
		return err
	}
	return verifySums(filepath.Dir(path), text, p)
}

// verifySums verifies both signatures of the checksums, of which one is enough. Each that is there
// must be right.
func verifySums(dir string, text []byte, p Policy) error {
	checks := map[string]func(k *signature.PublicKey, sig []byte) error{
		SumsBundle:    func(k *signature.PublicKey, sig []byte) error { return signature.VerifyFile(k, sig, text) },
		SumsSignature: func(k *signature.PublicKey, sig []byte) error { return signature.VerifyPlain(k, sig, text) },
	}
	found := false
	for _, name := range []string{SumsBundle, SumsSignature} {
		sig, err := readFile(filepath.Join(dir, name), signature.MaxBundle)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := anyKey(p, func(k *signature.PublicKey) error { return checks[name](k, sig) }); err != nil {
			return fmt.Errorf("%s does not verify %s: %w", filepath.Join(dir, name), SumsName, err)
		}
		found = true
	}
	if !found {
		return fmt.Errorf("%s has neither %s nor %s: the release was not signed, or its signatures were removed: "+
			"take it from the maintainer again", dir, SumsBundle, SumsSignature)
	}
	return nil
}

// anyKey returns nil if check accepts one of the keys.
func anyKey(p Policy, check func(*signature.PublicKey) error) (err error) {
	for _, k := range p.Keys {
		if err = check(k); err == nil {
			return nil
		}
	}
	return err
}
