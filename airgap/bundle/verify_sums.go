package bundle

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
)

// sums compares the file with a list of sha256sum.
func (v *verifier) sums(ctx context.Context, path string) error {
	want, err := sumOf(path, filepath.Base(v.report.Path))
	if err != nil {
		return err
	}
	hash := sha256.New()
	r := v.b.archive.Raw()
	n, err := io.Copy(hash, progress.Reader(ctx, r, nil))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	got := hex.EncodeToString(hash.Sum(nil))
	switch {
	case err != nil:
		v.problem(Problem{What: err.Error(), at: -2})
	case want == "":
		v.problem(Problem{What: fmt.Sprintf("%s does not list it", path), at: -2})
	case got != want:
		v.problem(Problem{What: fmt.Sprintf("its %d bytes have the digest %s, %s has %s: copy it again",
			n, got, path, want), at: -2})
	}
	v.report.SHA256 = got
	return nil
}

// sumOf returns the digest of a name in a list of sha256sum, or "".
func sumOf(path, name string) (string, error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading checksums: %w", err)
	}
	defer f.Close()
	found := ""
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		sum, file, ok := strings.Cut(strings.TrimSuffix(lines.Text(), "\r"), " ")
		if b, err := hex.DecodeString(sum); !ok || err != nil || len(b) != sha256.Size || len(file) < 2 {
			return "", fmt.Errorf("%s:%d: not a line of sha256sum", path, n)
		}
		if filepath.Base(filepath.FromSlash(file[1:])) == name { // after a space, or a star
			found = strings.ToLower(sum)
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return found, nil
}
