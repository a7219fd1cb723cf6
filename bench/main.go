// Bench compares slipway with other tools for the same work, on the images of an
// existing release, in one run.
//
//	go run ./bench [-dist dist] [-store .slipway] [-slipway PATH] [-parts cold,warm,…]
//
// It needs crane (go install github.com/google/go-containerregistry/cmd/crane), regctl (go install
// github.com/regclient/regclient/cmd/regctl), and from Debian docker-registry, skopeo, bsdtar
// (libarchive-tools) and zstd. With ko (go install github.com/google/ko) it has a row more. Every
// other tool runs as its users run it. Peak memory is that of the program itself, without the
// compilers it starts. Measuring costs a few hundredths of a second.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// bench is one run of the benchmark.
type bench struct {
	dist, store, slipway, product, crane, regctl, ko string
	tmp                                              string

	compressed, uncompressed comparison // of layers
	archives                 *archives
	registries               int // how many were started
}

func run(ctx context.Context, args []string) error {
	if len(args) == 5 && args[0] == "publish" {
		return publishTo(ctx, args[1], args[2], args[3], args[4])
	}
	switch {
	case len(args) == 3 && (args[0] == "lookup" || args[0] == "read"):
		return readFrom(args[0], args[1], args[2])
	case len(args) == 4 && args[0] == "pack":
		return packAll(ctx, args[1], args[2], args[3])
	}
	b := &bench{}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.StringVar(&b.dist, "dist", "dist", "the release")
	fs.StringVar(&b.store, "store", ".slipway", "its store")
	fs.StringVar(&b.product, "product", "slipway.yaml", "what it was cut from")
	fs.StringVar(&b.slipway, "slipway", "dist/bin/slipway", "the program to measure")
	fs.StringVar(&b.crane, "crane", "crane", "the crane to compare with")
	fs.StringVar(&b.regctl, "regctl", "regctl", "the regctl to compare with")
	fs.StringVar(&b.ko, "ko", "ko", "the ko to compare with")
	parts := fs.String("parts", "warm,inner-hello,inner-kpack,publish,destinations,promote,recipe,push,again,absent,lookup,read,curve,compress,unpack",
		"what to compare: cold and cacheprog (some 20 minutes each), evidence, verify, evidence-cold and reproduce (an hour each), and what the default names")
	if err := fs.Parse(args); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "slipway-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	b.tmp = tmp
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"cold", one(b.cold)},
		{"warm", one(b.warm)},
		{"inner-hello", one(b.innerHello)},
		{"inner-kpack", one(b.innerKpack)},
		{"publish", one(b.publish)},
		{"destinations", one(b.destinations)},
		{"promote", one(b.promote)},
		{"recipe", one(b.recipe)},
		{"push", one(b.push)},
		{"again", one(b.again)},
		{"absent", one(b.absent)},
		{"lookup", one(b.lookup)},
		{"read", one(b.read)},
		{"curve", one(b.curve)},
		{"compress", one(b.compress)},
		{"unpack", one(b.unpack)},
		{"cacheprog", one(b.cacheprog)},
		{"evidence", b.evidence},
		{"evidence-cold", b.evidenceCold},
		{"verify", b.verify},
		{"reproduce", b.reproduce},
	} {
		if !slices.Contains(strings.Split(*parts, ","), part.name) {
			continue
		}
		if err := part.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// one is a part with one comparison.
func one(run func(context.Context) (comparison, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		c, err := run(ctx)
		if err == nil {
			c.print(os.Stdout)
		}
		return err
	}
}
