package release

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/lock"
)

// SumsName is the file of checksums in dist/, in the form that sha256sum -c reads.
const SumsName = "SHA256SUMS"

// sums writes SHA256SUMS over everything this release put into dist/ and returns the names, sorted. The digests of bundles
// are those taken while they were written; other files are read once and remembered.
func (c *cut) sums(bundles []airgap.File, others []string) ([]string, error) {
	names := append([]string{lock.Name}, others...)
	for _, b := range bundles {
		names = append(names, filepath.Base(b.Path), filepath.Base(b.List))
	}
	if _, err := os.Stat(filepath.Join(c.out, binaryPath)); err == nil && c.options.Slipway {
		names = append(names, filepath.ToSlash(binaryPath))
	}
	slices.Sort(names)
	known := map[string]string{}
	for _, b := range bundles {
		known[filepath.Base(b.Path)] = b.SHA256
	}
	var text strings.Builder
	for _, name := range names {
		hex := known[name]
		if hex == "" {
			f, err := layer.File(c.store, filepath.Join(c.out, filepath.FromSlash(name)))
			if err != nil {
				return nil, fmt.Errorf("writing %s: %w", SumsName, err)
			}
			hex = f.Digest.Hex
		}
		fmt.Fprintf(&text, "%s  %s\n", hex, name)
	}
	if err := disk.Write(filepath.Join(c.out, SumsName), []byte(text.String()), disk.ModeFile); err != nil {
		return nil, fmt.Errorf("writing %s: %w", SumsName, err)
	}
	return names, nil
}
