package release

import (
	"fmt"
	"path/filepath"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// scripts writes the scripts that load the bundles on nodes, and returns their names.
func (c *run) scripts(l *lock.Lock, bundles []bundle.File) ([]string, error) {
	all, err := airgap.Scripts(l.Name, l.Version, Targets(c.product.Airgap.Bundles), bundles)
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

// Targets returns the bundles of a product as package airgap packs them.
func Targets(bundles []product.Bundle) []airgap.Target {
	all := make([]airgap.Target, len(bundles))
	for n, b := range bundles {
		all[n] = airgap.Target(b)
	}
	return all
}
