package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/slipway-dev/slipway/compile/times"
)

// cacheprog compares a release on a machine that has nothing, with a build cache in a registry
// that another machine filled, with one on a machine that has compiled everything, and with those
// of machines that have to compile. Each release has a store of its own. A second machine that
// compiles anything is an error, and so are releases that differ.
func (b *bench) cacheprog(ctx context.Context) (c comparison, err error) {
	made, stop, err := b.divisible(ctx)
	if err != nil {
		return c, err
	}
	defer stop()
	at := filepath.Join(b.tmp, "cacheprog")
	if err := os.MkdirAll(filepath.Join(at, "registry"), 0o755); err != nil {
		return c, err
	}
	defer os.RemoveAll(at)
	s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0)),
		registry.WithBlobHandler(registry.NewDiskBlobHandler(filepath.Join(at, "registry")))))
	defer s.Close()
	shared := b.slipway + " cacheprog -repository=" + s.Listener.Addr().String() + "/go-build-cache"
	var figures []figure
	var compiled []int
	locks := map[string]bool{}
	for _, r := range []struct{ name, caches, store, program string }{
		{"nothing compiled", "plain", "cold", ""},
		{"all compiled, in the local GOCACHE", "plain", "warm", ""},
		{"nothing compiled, and sent to the registry", "first", "first", shared},
		{"second machine: nothing but the registry", "second", "second", shared},
	} {
		dir := filepath.Join(at, r.store)
		f, err := measure(ctx, r.name, []string{
			"env", "SLIPWAY_BUILD_CACHE=", "GOCACHEPROG=" + r.program, "GOCACHE=" + filepath.Join(at, r.caches, "go"),
			"XDG_CACHE_HOME=" + filepath.Join(at, r.caches),
			b.slipway, "release", "-q", "-binary=false", "-product=" + made.product,
			"-store=" + filepath.Join(dir, "store"), "-out=" + filepath.Join(dir, "dist"),
		})
		if err != nil {
			return c, err
		}
		w, err := times.Read(filepath.Join(dir, "store", times.FileName), true)
		if err != nil {
			return c, err
		}
		n := 0
		for _, t := range w.Systems {
			n += len(t.Packages)
		}
		text, err := os.ReadFile(filepath.Join(dir, "dist", "release.lock.json"))
		if err != nil {
			return c, err
		}
		if err := os.RemoveAll(dir); err != nil {
			return c, err
		}
		figures, compiled, locks[string(text)] = append(figures, f), append(compiled, n), true
	}
	if compiled[3] > 0 || len(locks) > 1 {
		return c, fmt.Errorf("the second machine has compiled %d packages, and there are %d different locks",
			compiled[3], len(locks))
	}
	return comparison{
		title: "A release of " + b.of + " with a build cache that machines share",
		ours:  figures[3], other: []figure{figures[1], figures[0], figures[2]},
		notes: []string{fmt.Sprintf("packages compiled: %d by the second machine, %d with the local GOCACHE, "+
			"%d and %d with nothing; all locks are equal", compiled[3], compiled[1], compiled[0], compiled[2])},
	}, nil
}
