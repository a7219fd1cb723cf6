package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// cacheprog compares a release on a machine that has nothing, with a build cache in a registry that
// another machine filled, with one on a machine that has compiled everything, and with those of
// machines that have to compile. Each release has a store of its own.
func (b *bench) cacheprog(ctx context.Context) (comparison, error) {
	addr, stop, err := b.registry(ctx, "cacheprog")
	if err != nil {
		return comparison{}, err
	}
	defer stop()
	shared := "-build-cache=" + addr + "/go-build-cache"
	var figures []figure
	for _, r := range []struct{ name, caches, store, flag string }{
		{"nothing compiled", "plain", "cold", ""},
		{"all compiled, in the local GOCACHE", "plain", "warm", ""},
		{"nothing compiled, and sent to the registry", "first", "first", shared},
		{"second machine: nothing but the registry", "second", "second", shared},
	} {
		at := filepath.Join(b.tmp, "cacheprog")
		command := []string{
			"env", "SLIPWAY_BUILD_CACHE=", "GOCACHE=" + filepath.Join(at, r.caches, "go"), "XDG_CACHE_HOME=" + filepath.Join(at, r.caches),
			b.slipway, "release", "-binary=false", "-product=" + b.product, "-store=" + filepath.Join(at, r.store, "store"), "-out=" + filepath.Join(at, r.store, "dist"),
		}
		if r.flag != "" {
			command = append(command, r.flag)
		}
		f, err := measure(ctx, r.name, command)
		if err != nil {
			return comparison{}, err
		}
		figures = append(figures, f)
		if err := os.RemoveAll(filepath.Join(at, r.store, "store")); err != nil {
			return comparison{}, err
		}
	}
	c := comparison{title: "A release with a build cache that machines share", ours: figures[3], other: []figure{figures[1], figures[0], figures[2]}}
	locks := map[string]bool{}
	for _, name := range []string{"cold", "warm", "first", "second"} {
		text, err := os.ReadFile(filepath.Join(b.tmp, "cacheprog", name, "dist", "release.lock.json"))
		if err != nil {
			return c, err
		}
		locks[string(text)] = true
	}
	if len(locks) != 1 {
		c.notes = append(c.notes, "the releases are NOT equal")
	} else {
		c.notes = append(c.notes, "all four have equal locks; "+strings.TrimPrefix(shared, "-build-cache="+addr+"/")+" is in Debian's docker-registry")
	}
	return c, nil
}
