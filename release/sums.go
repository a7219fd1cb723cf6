package release

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/lock"
)

// sums writes SHA256SUMS of all files that this release wrote to dist/ and returns their names,
// sorted. The digests of bundles, charts and artifacts are known from writing or reading the files in
// this run. All other files are read here, on all cores.
func (c *run) sums(ctx context.Context, l *lock.Lock, bundles []bundle.File, others []string) ([]string, error) {
	names := append([]string{lock.Name}, others...)
	for _, b := range bundles {
		names = append(names, filepath.Base(b.Path), filepath.Base(b.List))
	}
	if _, err := os.Stat(filepath.Join(c.out, binaryPath)); err == nil && c.options.IncludeBinary {
		names = append(names, filepath.ToSlash(binaryPath))
	}
	slices.Sort(names)
	known := map[string]string{}
	for _, b := range bundles {
		known[filepath.Base(b.Path)] = b.SHA256
	}
	for _, a := range l.Artifacts {
		known[a.File] = a.Digest.Hex
	}
	for _, c := range l.Charts {
		known[c.File.Name] = c.File.Digest.Hex
	}
	hexes := make([]string, len(names))
	err := each(len(names), func(i int) error {
		if hexes[i] = known[names[i]]; hexes[i] != "" {
			return nil
		}
		h, err := digest(ctx, filepath.Join(c.out, filepath.FromSlash(names[i])))
		hexes[i] = h.Hex
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", evidence.SumsName, err)
	}
	var text strings.Builder
	for i, name := range names {
		fmt.Fprintf(&text, "%s  %s\n", hexes[i], name)
	}
	if err := disk.Write(filepath.Join(c.out, evidence.SumsName), []byte(text.String()), disk.ModeFile); err != nil {
		return nil, fmt.Errorf("writing %s: %w", evidence.SumsName, err)
	}
	return names, nil
}
