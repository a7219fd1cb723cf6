package release

import (
	"fmt"
	"path/filepath"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/lock"
)

// scripts writes those that load the bundles on nodes, and returns their names.
func (c *run) scripts(l *lock.Lock, bundles []airgap.File) ([]string, error) {
	all, err := airgap.Scripts(l, c.product.Airgap.Bundles, bundles)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range all {
		mode := disk.ModeFile
		if filepath.Ext(s.Name) == ".sh" {
			mode = disk.ModeProgram
		}
		if err := disk.Write(filepath.Join(c.out, s.Name), s.Data, mode); err != nil {
			return nil, fmt.Errorf("writing %s: %w", s.Name, err)
		}
		names = append(names, s.Name)
	}
	return names, nil
}
