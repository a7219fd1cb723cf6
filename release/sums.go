package release

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/lock"
)

// names returns the names of all files that this release wrote to dist/, sorted, without the
// checksums.
func (c *run) names(bundles []bundle.File, others []string) []string {
	names := append([]string{lock.Name}, others...)
	for _, b := range bundles {
		names = append(names, filepath.Base(b.Path), filepath.Base(b.List))
	}
	if c.binary {
		names = append(names, distfile.Program)
	}
	slices.Sort(names)
	return names
}

// sums writes SHA256SUMS of files in dist/. The digests of bundles, charts and artifacts are known
// from writing or reading the files in this run. All other files are read here, on all cores. A file
// that the table of files does not have is a mistake: the next release would not remove it.
func (c *run) sums(ctx context.Context, l *lock.Lock, bundles []bundle.File, names []string) error {
	table := Files(l)
	for _, n := range names {
		if !slices.Contains(table, n) {
			return fmt.Errorf("writing %s: %s is not among the files of a release", evidence.SumsName, n)
		}
	}
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
		h, err := disk.Digest(ctx, filepath.Join(c.out, filepath.FromSlash(names[i])), nil)
		hexes[i] = h.Hex
		return err
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", evidence.SumsName, err)
	}
	var text strings.Builder
	for i, name := range names {
		fmt.Fprintf(&text, "%s  %s\n", hexes[i], name)
	}
	if err := disk.Write(filepath.Join(c.out, evidence.SumsName), []byte(text.String()), disk.ModeFile); err != nil {
		return fmt.Errorf("writing %s: %w", evidence.SumsName, err)
	}
	return nil
}
