package cache

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// DefaultDir is the directory of the objects on this disk, in the user's cache.
func DefaultDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the user's cache: %w: name a directory with -disk-cache", err)
	}
	return filepath.Join(dir, "slipway", "go-build"), nil
}

// ParseRepository reads the name of a repository of objects.
func ParseRepository(s string) (*name.Repository, error) {
	repo, err := name.NewRepository(s)
	if err != nil || !strings.Contains(s, "/") {
		return nil, fmt.Errorf("%q is not a repository: write HOST/PATH, as in ghcr.io/me/go-build-cache", s)
	}
	return &repo, nil
}

// validTag matches tags
// (https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests).
var validTag = lazyregexp.New(`^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$`)

// ParseTag checks a tag of objects. Empty is that of the toolchain and platform that the go
// command sets.
func ParseTag(s string) (string, error) {
	if s == "" {
		system := cmp.Or(os.Getenv("GOOS"), runtime.GOOS) + "-" + cmp.Or(os.Getenv("GOARCH"), runtime.GOARCH)
		version, _, _ := strings.Cut(cmp.Or(os.Getenv("GOVERSION"), "go"), " ") // experiments follow
		s = version + "-" + system
	}
	if !validTag.MatchString(s) {
		return "", fmt.Errorf("-build-cache-tag=%q is not a tag: use letters, digits, dots, hyphens and underscores", s)
	}
	return s, nil
}

// Use makes the go commands of this process use the cache in a repository, by this program.
func Use(repository string, readOnly bool) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding slipway, to run it as the build cache: %w", err)
	}
	quote := "'"
	if strings.Contains(self, quote) {
		quote = `"`
	}
	line := quote + self + quote + " cacheprog --build-cache=" + repository
	if readOnly {
		line += " --build-cache-read-only"
	}
	return os.Setenv("GOCACHEPROG", line)
}

// Append adds a line to a file of statistics.
func (s Stats) Append(path string) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return disk.Append(path, append(line, '\n'), disk.ModeFile)
}
