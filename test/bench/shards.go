package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/google/go-containerregistry/pkg/registry"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/shard"
)

// shards divides a release by plans of several sizes. Each shard is a process on one core with a
// store and a build cache of its own, and nothing compiled; all have one registry, which is empty
// before each plan. The slowest shard is compared with the release on one core, and that with
// what the plan's own weights promise. A dist/ that differs from that of one command is an error.
func (b *bench) shards(ctx context.Context) error {
	var counts []int
	for text := range strings.SplitSeq(b.counts, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("-shards=%s: name numbers of shards, such as 1,2,4", b.counts)
		}
		counts = append(counts, n)
	}
	if !slices.Contains(counts, 1) {
		counts = append(counts, 1)
	}
	slices.Sort(counts)
	made, stop, err := b.divisible(ctx)
	if err != nil {
		return err
	}
	defer stop()
	d := &divided{bench: b, product: made.product, dir: filepath.Join(b.tmp, "shards")}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		(*d.registry.Load()).ServeHTTP(w, q)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	defer s.Close()
	d.to = "-registry=" + s.Listener.Addr().String() + "/demo"
	for _, n := range slices.Compact(counts) {
		if err := d.divide(ctx, n); err != nil {
			return fmt.Errorf("%d shards: %w", n, err)
		}
	}
	return nil
}

// divisible returns the product to divide, with bases from a registry on loopback.
func (b *bench) divisible(ctx context.Context) (s *signable, stop func(), err error) {
	references, stop, err := serveBases(ctx)
	if err != nil {
		return nil, nil, err
	}
	switch b.of {
	case "hello":
		s, err = b.signable("hello-product", filepath.FromSlash("examples/hello"), references, ".")
	case "kpack":
		s, err = b.signable("kpack-product", filepath.Dir(b.product), references, "dockerfiles", "overlays")
	default:
		err = fmt.Errorf("-of=%s: name hello or kpack", b.of)
	}
	if err != nil {
		stop()
	}
	return s, stop, err
}

// divided is what the runs of [bench.shards] have in common.
type divided struct {
	*bench
	product  string // its slipway.yaml
	dir, to  string
	registry atomic.Pointer[http.Handler]
	alone    figure // the only shard of a plan of one
	want     string // the directory of the release by one command
}

// anew empties the registry.
func (d *divided) anew(n int) {
	h := registry.New(registry.Logger(log.New(io.Discard, "", 0)),
		registry.WithBlobHandler(registry.NewDiskBlobHandler(d.at(n, "registry"))))
	d.registry.Store(&h)
}

func (d *divided) at(n int, of ...string) string {
	return filepath.Join(append([]string{d.dir, strconv.Itoa(n)}, of...)...)
}

// weights is where the times of the plan of one are.
func (d *divided) weights() string { return filepath.Join(d.dir, times.FileName) }

// divide makes a release in n shards.
func (d *divided) divide(ctx context.Context, n int) error {
	if err := os.MkdirAll(d.at(n, "registry"), 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(d.at(n, "registry"))
	d.anew(n)
	path := d.at(n, "plan.json")
	args := []string{
		"plan", "-q", "-json", "-product=" + d.product, "-store=" + d.at(n, "planned"),
		"-shards=" + strconv.Itoa(n), d.to,
	}
	if d.alone.name != "" {
		args = append(args, "-weights="+d.weights())
	}
	cmd := exec.CommandContext(ctx, d.slipway, args...)
	var said strings.Builder
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("slipway %s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	p, err := shard.Read(path)
	if err != nil {
		return err
	}
	made, err := d.each(ctx, p, n)
	if err != nil {
		return err
	}
	if n == 1 {
		d.alone = made[0]
		d.alone.name = "one shard"
		if err := d.once(ctx); err != nil {
			return err
		}
	}
	merge := []string{
		d.slipway, "merge", "-q", "-binary=false", "-product=" + d.product,
		d.to, "-out=" + d.at(n, "dist"), "-store=" + d.at(n, "merged"),
	}
	for k := range p.Shards {
		merge = append(merge, filepath.Join(d.at(n, strconv.Itoa(k)), "release.part.json"))
	}
	merged, err := measure(ctx, "merge, on all cores", merge)
	if err != nil {
		return err
	}
	same, err := d.same(d.at(n, "dist"))
	if err != nil {
		return err
	}
	d.found(d.compare(p, n, made, merged, same))
	return os.RemoveAll(d.at(n))
}

// each makes the shards of a plan, several at a time, each on a core of its own.
func (d *divided) each(ctx context.Context, p *shard.Plan, n int) ([]figure, error) {
	made := make([]figure, len(p.Shards))
	cores := make(chan int, d.atOnce)
	for c := range d.atOnce {
		cores <- c
	}
	g, ctx := errgroup.WithContext(ctx)
	for k := range p.Shards {
		g.Go(func() (err error) {
			core := <-cores
			defer func() { cores <- core }()
			dir := d.at(n, strconv.Itoa(k))
			made[k], err = measure(ctx, "shard "+strconv.Itoa(k),
				d.alongside(core, dir, "-plan="+d.at(n, "plan.json"), "-shard="+strconv.Itoa(k), "-out="+dir))
			if n > 1 || err != nil {
				err = errors.Join(err, os.RemoveAll(dir+"-cache"), os.RemoveAll(dir+"-store"))
			}
			return err
		})
	}
	return made, g.Wait()
}

// alongside is a release on one core, with a build cache and a store next to a directory.
func (d *divided) alongside(core int, dir string, args ...string) []string {
	return append([]string{
		"taskset", "-c", strconv.Itoa(core), "env", "GOMAXPROCS=1", "SLIPWAY_BUILD_CACHE=", "GOCACHEPROG=",
		"GOCACHE=" + dir + "-cache",
		d.slipway, "release", "-q", "-binary=false", "-product=" + d.product, d.to, "-store=" + dir + "-store",
	}, args...)
}

// once makes the release by one command, from what the only shard has compiled, and keeps the
// weights of that.
func (d *divided) once(ctx context.Context) error {
	dir := d.at(1, "0")
	d.want = filepath.Join(d.dir, "dist")
	if _, err := measure(ctx, "", d.alongside(0, dir, "-out="+d.want)); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, times.FileName))
	if err != nil {
		return err
	}
	return os.WriteFile(d.weights(), text, 0o644)
}

// compare reports what a division has cost.
func (d *divided) compare(p *shard.Plan, n int, made []figure, merged figure, same string) comparison {
	slowest, busiest, heaviest := figure{}, 0.0, 0.0
	var notes []string
	for k, f := range made {
		if f.seconds > slowest.seconds {
			slowest = f
		}
		busiest, heaviest = max(busiest, f.processors), max(heaviest, p.Shards[k].Weight)
		notes = append(notes, fmt.Sprintf("shard %d: %.2f s, %.2f processor seconds; its weight is %.2f %s",
			k, f.seconds, f.processors, p.Shards[k].Weight, p.Unit))
	}
	slowest.name = fmt.Sprintf("the slowest of %d", len(made))
	if ideal := p.Total / heaviest; n > 1 {
		notes = append(notes,
			fmt.Sprintf("the plan promises 1 : %.2f; that is kept to %.2f by seconds, and to %.2f by processor seconds",
				ideal,
				d.alone.seconds/slowest.seconds/ideal, d.alone.processors/busiest/ideal))
	}
	c := comparison{
		title: fmt.Sprintf("%s divided by %d, nothing compiled, each shard on one core, %d at a time",
			d.of, n, min(d.atOnce, len(made))),
		ours: slowest, other: []figure{merged}, notes: append(notes, same),
	}
	if n > 1 {
		c.other = append(c.other, d.alone)
	}
	return c
}

// same compares a directory with the release by one command, and reports that they are the same.
func (d *divided) same(dir string) (string, error) {
	files := func(dir string) (map[string]string, error) {
		all := map[string]string{}
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(filepath.Join(dir, path))
			all[path] = string(text)
			return err
		})
		return all, err
	}
	want, err := files(d.want)
	if err != nil {
		return "", err
	}
	got, err := files(dir)
	if err != nil {
		return "", err
	}
	for path := range want {
		if text, ok := got[path]; !ok || text != want[path] {
			return "", fmt.Errorf("%s is not what one command makes", path)
		}
	}
	if len(got) != len(want) {
		return "", fmt.Errorf("dist has %d files, and %d by one command", len(got), len(want))
	}
	return fmt.Sprintf("dist/ has the %d files of one command, byte for byte", len(want)), nil
}
