// Bench compares slipway with other tools for the same work, on the images of an
// existing release, in one run.
//
//	go run ./test/bench [-dist dist] [-store .slipway] [-slipway PATH] [-parts cold,warm,…] [-results FILE]
//	go run ./test/bench -plot -results FILE
//
// With -results, what a part finds replaces in that file what it found before, so that parts may be
// run one by one, and at other times. docs/results/benchmarks.json is such a file.
//
// The benchmark needs crane (go install github.com/google/go-containerregistry/cmd/crane), regctl
// (go install github.com/regclient/regclient/cmd/regctl), and from Debian docker-registry,
// skopeo, bsdtar (libarchive-tools), pigz and zstd. With ko (go install github.com/google/ko) it
// has a row more. Every other tool runs as its users run it. Peak memory is that of the program
// itself, without the compilers it starts. Measuring costs a few hundredths of a second.
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
	of, counts                                       string // of shards and cacheprog
	atOnce                                           int

	compressed, uncompressed comparison // of layers
	archives                 *archives
	registries               int // how many were started

	results     string       // the file of the results; "" for none
	comparisons []comparison // of the part that runs
}

func run(ctx context.Context, args []string) error {
	if len(args) == 5 && args[0] == "publish" {
		return publishTo(ctx, args[1], args[2], args[3], args[4])
	}
	switch {
	case len(args) == 3 && (args[0] == "lookup" || args[0] == "read"):
		return readFrom(args[0], args[1], args[2])
	case len(args) == 2 && args[0] == "documents":
		return documents(ctx, args[1])
	case len(args) == 4 && args[0] == "pack":
		return packAll(ctx, args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "pack-groups":
		return packGroups(ctx, args[1], args[2], args[3])
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
	fs.StringVar(&b.of, "of", "hello",
		"the product of shards and cacheprog: hello, or kpack (minutes for each release with nothing compiled)")
	fs.StringVar(&b.counts, "shards", "1,2,4", "how many shards the part shards divides the product into")
	fs.IntVar(&b.atOnce, "at-once", 1, "how many shards it makes at a time, each on a core of its own")
	parts := fs.String("parts",
		"warm,inner-hello,inner-kpack,publish,destinations,promote,recipe,"+
			"push,again,prebuilt,absent,lookup,read,curve,compress,unpack,audit",
		"what to compare: cold (some 20 minutes), cacheprog and shards (of -of), evidence, verify, "+
			"evidence-cold and reproduce (an hour each), groups, and what the default names")
	fs.StringVar(&b.results,
		"results", "", "a file that keeps the results of all parts, with a page and plots next to it")
	plot := fs.Bool("plot", false, "write the page and the plots of -results anew, and measure nothing")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *plot {
		all, err := readResults(b.results)
		if err != nil {
			return err
		}
		return writePage(b.results, all)
	}
	wanted := strings.Split(*parts, ",")
	for _, name := range wanted {
		if !slices.ContainsFunc(b.parts(), func(p part) bool { return p.name == name }) {
			return fmt.Errorf("-parts=%s: part %q does not exist; bench -h lists the parts", *parts, name)
		}
	}
	tmp, err := os.MkdirTemp("", "slipway-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	b.tmp = tmp
	for _, p := range b.parts() {
		if !slices.Contains(wanted, p.name) {
			continue
		}
		if err := b.run(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// part is a subject of the benchmark, which calls found for each comparison.
type part struct {
	name string
	run  func(context.Context) error
}

// parts are all there are, in the order in which they are run and shown.
func (b *bench) parts() []part {
	return []part{
		{"cold", b.one(b.cold)},
		{"warm", b.warm},
		{"inner-hello", b.innerHello},
		{"inner-kpack", b.innerKpack},
		{"publish", b.one(b.publish)},
		{"destinations", b.one(b.destinations)},
		{"promote", b.one(b.promote)},
		{"recipe", b.one(b.recipe)},
		{"gzip", b.one(b.gzip)},
		{"groups", b.one(b.groups)},
		{"push", b.one(b.push)},
		{"again", b.one(b.again)},
		{"prebuilt", b.one(b.prebuilt)},
		{"absent", b.one(b.absent)},
		{"lookup", b.one(b.lookup)},
		{"read", b.one(b.read)},
		{"curve", b.one(b.curve)},
		{"compress", b.one(b.compress)},
		{"unpack", b.one(b.unpack)},
		{"audit", b.one(b.audit)},
		{"cacheprog", b.one(b.cacheprog)},
		{"shards", b.shards},
		{"evidence", b.evidence},
		{"evidence-cold", b.evidenceCold},
		{"verify", b.verify},
		{"reproduce", b.reproduce},
	}
}

// run runs a part and keeps its results.
func (b *bench) run(ctx context.Context, p part) error {
	if b.results == "" {
		return p.run(ctx)
	}
	r, err := b.here(ctx, p.name)
	if err != nil {
		return err
	}
	b.comparisons = nil
	before := usedNow()
	if err := p.run(ctx); err != nil {
		return err
	}
	r.Others = milli(usedNow().others(before, r.Processors))
	for _, c := range b.comparisons {
		r.Comparisons = append(r.Comparisons, c.record())
	}
	all, err := readResults(b.results)
	if err != nil {
		return err
	}
	return writeResults(b.results, b.merge(all, r))
}

// found prints a comparison, and notes it for the results.
func (b *bench) found(c comparison) {
	c.print(os.Stdout)
	b.comparisons = append(b.comparisons, c)
}

// one is a part with one comparison.
func (b *bench) one(run func(context.Context) (comparison, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		c, err := run(ctx)
		if err == nil {
			b.found(c)
		}
		return err
	}
}
