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
		"what to compare: cold (some 20 minutes), and what the default names")
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
		run  func(context.Context) (comparison, error)
	}{
		{"cold", b.cold},
		{"warm", b.warm},
		{"inner-hello", b.innerHello},
		{"inner-kpack", b.innerKpack},
		{"publish", b.publish},
		{"destinations", b.destinations},
		{"promote", b.promote},
		{"recipe", b.recipe},
		{"push", b.push},
		{"again", b.again},
		{"absent", b.absent},
		{"lookup", b.lookup},
		{"read", b.read},
		{"curve", b.curve},
		{"compress", b.compress},
		{"unpack", b.unpack},
	} {
		if !slices.Contains(strings.Split(*parts, ","), part.name) {
			continue
		}
		c, err := part.run(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		c.print(os.Stdout)
	}
	return nil
}
