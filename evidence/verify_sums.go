package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/signature"
)

// CompareDir compares the files of a directory with its checksums. It verifies no signature.
func CompareDir(ctx context.Context, dir string, pr *progress.Printer) (*Files, error) {
	sums, err := Sums(dir)
	if err != nil {
		return nil, err
	}
	return compareFiles(ctx, dir, sums, pr)
}

// Sums returns the digests, in hex, that the checksums of a directory list, by the names of files
// with slashes. It verifies no signature.
func Sums(dir string) (map[string]string, error) {
	return readSums(dir, func([]byte) error { return nil })
}

// readSums returns the digests, in hex, that the checksums of a directory list, if check accepts
// their text.
func readSums(dir string, check func(text []byte) error) (map[string]string, error) {
	file := filepath.Join(dir, SumsName)
	text, err := readFile(file, maxSums)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing: without it nothing tells which files the release has: copy it from the release", file)
	}
	if err != nil {
		return nil, err
	}
	if err := check(text); err != nil {
		return nil, err
	}
	all := map[string]string{}
	for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		sum, name, ok := strings.Cut(line, "  ")
		if b, err := hex.DecodeString(sum); !ok || err != nil || len(b) != sha256.Size || !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name || all[name] != "" {
			return nil, fmt.Errorf("%s:%d: it is not a line of sha256sum for a file of the release, or names one twice", file, n+1)
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
		return fmt.Errorf("%s has neither %s nor %s: the release was not signed, or its signatures were removed: take it from the maintainer again", dir, SumsBundle, SumsSignature)
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
