package airgap

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
)

// writeLists writes the lists of plans that have no archive, and returns the names of the files.
// Plans with one name have one list, in which each image is once, sorted.
func writeLists(plans []*plan, dir string) (names []string, err error) {
	lines := map[string][]string{}
	for _, p := range plans {
		name := p.target.Name + distfile.ListSuffix
		if lines[name] == nil {
			names = append(names, name)
		}
		for _, i := range p.Contents.Images {
			if !i.Chart {
				lines[name] = append(lines[name], i.Name)
			}
		}
	}
	for _, name := range names {
		slices.Sort(lines[name])
		text := strings.Join(slices.Compact(lines[name]), "\n") + "\n"
		if err := disk.Write(filepath.Join(dir, name), []byte(text), disk.ModeFile); err != nil {
			return nil, fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return names, nil
}
