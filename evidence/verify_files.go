package evidence

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/signature"
)

// maxSums is the largest file of checksums, or release.yaml, that is read, in bytes.
const maxSums = 64 << 20

// Files reports what a directory has of the files that its signed checksums list.
type Files struct {
	Count

	Absent []string `json:"absent,omitempty"`
	// Unlisted are files that the checksums do not list, at most maxListed of them. Nothing is known
	// of them.
	Unlisted []string `json:"unlisted,omitempty"`
	// MoreUnlisted counts those that Unlisted does not name.
	MoreUnlisted int `json:"moreUnlisted,omitempty"`

	bundles []string
}

// Bundles returns the paths of the bundles in a directory that its checksums list.
func (f *Files) Bundles() []string { return f.bundles }

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
	from := strings.Join(paths, ", ")
	signed, err := p.decide([]Material{{From: from, Anonymous: true}}, r)
	if err != nil {
		return nil, err
	}
	if err := r.oneRelease(signed[0].Statement); err != nil {
		return nil, fmt.Errorf("%s are of different releases: %w", from, err)
	}
	return describe(p, r, signed), nil
}

// files reads Sigstore bundles in files.
func (r *reader) files(paths []string) error {
	for _, path := range paths {
		if _, err := r.file(path); err != nil {
			return err
		}
	}
	return nil
}

// file reads the Sigstore bundle in a file, and returns the digest of what was read.
func (r *reader) file(path string) (v1.Hash, error) {
	text, err := readFile(path, signature.MaxBundle)
	if err != nil {
		return v1.Hash{}, err
	}
	h := hashOf(text)
	if r.blobs[h], err = r.parse(h, text); err != nil {
		return h, fmt.Errorf("%s: %w", path, err)
	}
	if p := r.blobs[h].provenance; p != nil {
		p.given = true
	}
	return h, nil
}

func digestFile(ctx context.Context, path string, task *progress.Task) (string, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !fi.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	h, err := disk.Digest(ctx, path, task)
	return h.Hex, err
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
