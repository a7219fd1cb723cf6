package airgap

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/distfile"
)

// writeLists writes the lists of plans that have no archive, and returns the names of the files.
// Plans with one name have one list, in which each image is once, sorted.
func writeLists(plans []*plan, dir string, changing func() error) (names []string, err error) {
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
		if err := bundle.WriteList(filepath.Join(dir, name), text, changing); err != nil {
			return nil, err
		}
	}
	return names, nil
}
