package apt

import (
	"context"
	"slices"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/build/packages/maintainer"
)

// scripts carries out the maintainer scripts of one call.
type scripts struct {
	m      *Manager
	runner maintainer.Runner
}

func (m *Manager) scripts(c packages.Call) *scripts {
	return &scripts{m: m}
}

// run carries out a script, unless slipway.yaml skips it.
func (s *scripts) run(ctx context.Context, t *tree.Tree, script maintainer.Script) error {
	for _, k := range s.m.Packages.SkipScripts {
		if k.Package == script.Package && (len(k.Scripts) == 0 || slices.Contains(k.Scripts, script.Name)) {
			return nil
		}
	}
	return s.runner.Run(ctx, t, script)
}
