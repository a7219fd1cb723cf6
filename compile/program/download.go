package program

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/disk"
)

// download brings modules into the module cache, outside of the sandbox, which has no network, and
// compiles and runs nothing: flags and variables that could are omitted, and the build cache is
// another one, since that of the sandbox may be forged.
func (b *batch) download(ctx context.Context) error {
	p := b.programs[0]
	if !p.Tree.Source.Sandbox.On() {
		return nil
	}
	harmless, all := p.harmless()
	cache := filepath.Join(p.Tree.Source.Sandbox.Dir(), "listed")
	if err := disk.MkdirAll(cache); err != nil {
		return err
	}
	const wrong = "{{with .Error}}{{.}}{{end}}"
	args := slices.Concat([]string{"list", "-deps", "-f", wrong}, harmless.arguments(), b.packages)
	cmd := harmless.Tree.Go(ctx, args...)
	cmd.Env = append(harmless.environ(cmd.Env, b.store.Temp()), "GOCACHE="+cache, "GOCACHEPROG=")
	if _, err := cmd.Output(); err != nil && all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("downloading the modules of source %s for %s: %w", p.Tree.Source.Name,
			b.system, source.Explain(err))
	}
	return nil // else the compiler reports it
}

// harmless returns the program with those of its flags and variables only that name no program and
// no file, and whether that is all of them.
func (p Program) harmless() (h Program, all bool) {
	h = p
	h.Ldflags, h.Flags, h.Env = nil, nil, nil
	for n := 0; n < len(p.Flags); n++ {
		for size := 1; size <= 2 && n+size <= len(p.Flags); size++ {
			if f := p.Flags[n : n+size]; len(refusedFlags(f)) == 0 {
				h.Flags = append(h.Flags, f...)
				n += size - 1
				break
			}
		}
	}
	all = len(h.Flags) == len(p.Flags)
	for _, kv := range p.Env {
		if len(refusedVariables([]string{kv})) == 0 || strings.HasPrefix(kv, "CGO_ENABLED=") {
			h.Env = append(h.Env, kv)
		} else if !strings.HasPrefix(kv, "CC=") && !strings.HasPrefix(kv, "CXX=") {
			all = false
		}
	}
	return h, all
}
