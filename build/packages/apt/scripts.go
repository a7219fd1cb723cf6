package apt

import (
	"context"
	"errors"
	"slices"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/build/packages/maintainer"
	"github.com/slipway-dev/slipway/build/system"
)

// scripts carries out the maintainer scripts of one call.
type scripts struct {
	m      *Manager
	runner maintainer.Runner
}

// scripts returns what carries out maintainer scripts. They have the variables of the stage that
// debconf and its like read, and the day of all files of layers, which accounts get that they add.
func (m *Manager) scripts(c packages.Call, arch string) *scripts {
	s := &scripts{m: m, runner: maintainer.Runner{
		Architecture: arch, Day: int(layer.Epoch.Unix() / (24 * 60 * 60)), Env: map[string]string{"DEBIAN_FRONTEND": "noninteractive"}, Programs: program,
	}}
	for _, name := range []string{"PATH", "LANG", "LC_ALL", "TZ", "HOME"} {
		if v, ok := c.Env(name); ok {
			s.runner.Env[name] = v
		}
	}
	return s
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

// program returns a program of the system for maintainer scripts.
func program(name string) (maintainer.Program, bool) {
	p, ok := system.Command(name)
	if !ok {
		return nil, false
	}
	return func(ctx context.Context, t *tree.Tree, call maintainer.SystemCall) (int, string, error) {
		err := p(ctx, &system.System{Tree: t, Day: call.Day, Env: call.Env}, call.Args, call.Out)
		var exit *system.Exit
		if errors.As(err, &exit) {
			return exit.Code, exit.Text, nil
		}
		return 0, "", err
	}, true
}
