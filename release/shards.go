package release

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/shard"
)

// Divide makes a plan of at most n shards of a release of p, by the weights w. Like [MakePlan],
// Divide checks the release and asks the registries; a reason that would stop the release is an
// error here.
func Divide(ctx context.Context, p *product.Product, o Options, n int, w *times.Weights) (*shard.Plan, error) {
	pl, done, err := newPlanner(ctx, p, o)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := pl.publish(ctx); err != nil {
		return nil, err
	}
	if err := pl.Err(); err != nil {
		return nil, err
	}
	return pl.divide(ctx, n, w)
}

func (pl *planner) divide(ctx context.Context, n int, w *times.Weights) (*shard.Plan, error) {
	units, weights, unit, err := weigh(ctx, pl, pl.found.found.Needs(), w)
	if err != nil {
		return nil, err
	}
	out := &shard.Plan{
		PlanVersion: stagefile.Plan.Version, Name: pl.Name, Version: pl.Version, Channel: pl.Channel,
		Registries: shard.Registries(pl.product), SourceDateEpoch: epoch(pl.product), Unit: unit,
	}
	if out.Go, err = assemble.GoVersion(ctx, pl.compiled); err != nil {
		return nil, err
	}
	baseline, err := pl.found.input.Baseline(ctx)
	if err != nil {
		return nil, err
	}
	if out.Materials, err = baseline.AllMaterials(ctx, pl.compiled); err != nil {
		return nil, err
	}
	if err := baseline.ProveTrees(ctx, out.Materials); err != nil {
		return nil, err
	}
	var all []int
	for k := range units {
		all = append(all, k)
	}
	out.Total = times.Round(shard.Weigh(units, weights, all))
	for k, members := range shard.Divide(units, weights, n) {
		out.Shards = append(out.Shards, shard.Describe(k, units, weights, members))
	}
	return out, nil
}

// Select restricts a product to the shard, and takes from the plan what the options leave open.
func (s *Shard) Select(o *product.Options) (err error) {
	if o.Share, err = s.Plan.Share(s.Number); err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	Adopt(o, s.Plan)
	return nil
}

// Adopt takes from a plan what the options leave open.
func Adopt(o *product.Options, p *shard.Plan) {
	if o.Version == "" {
		o.Version, o.VersionFrom = p.Version, product.FromPlan
	}
	o.Channel = cmp.Or(o.Channel, p.Channel)
	if len(o.Registries) == 0 {
		o.Registries = p.Registries
	}
}

// same returns an error if a run is of another release than the plan.
func (s *Shard) same(p *product.Product) error {
	if err := s.Plan.Same(p); err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	return nil
}

// compare returns an error if a product would be built from something else than the plan.
func (s *Shard) compare(ctx context.Context, ready *assemble.Ready) error {
	all, err := ready.Materials(ctx)
	if err != nil {
		return err
	}
	toolchain, err := assemble.GoVersion(ctx, ready.Programs)
	if err == nil {
		err = s.Plan.Compare(all, toolchain)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	return nil
}

// writeWeights writes the times of compilers and linkers to the store, and next to the part of a
// shard: the times of this run, took, which may be nil, those of the parts, and of programs that
// were current those of earlier runs.
func (c *run) writeWeights(took *times.Weights) error {
	all := times.New()
	for _, dir := range append([]string{c.store.Dir()}, c.options.ArtifactDirs...) {
		if w, err := times.Read(filepath.Join(dir, times.FileName), false); err == nil {
			all.Add(w)
		}
	}
	if took != nil {
		all.Add(took)
	}
	if all.Empty() {
		return nil
	}
	to := []string{c.store.Dir()}
	if c.options.Shard != nil {
		to = append(to, c.out)
	}
	for _, dir := range to {
		if err := all.Write(filepath.Join(dir, times.FileName)); err != nil {
			return err
		}
	}
	return nil
}

// epoch returns the time that was given to the release; zero if none was.
func epoch(p *product.Product) time.Time {
	if p.SourceDateEpoch {
		return p.Created
	}
	return time.Time{}
}

// weigh returns the units of the division, and the weights of the items that they need.
func weigh(ctx context.Context, pl *planner, needs []assemble.Need,
	w *times.Weights,
) (units []shard.Unit, weights []float64, unit string, err error) {
	var programs []program.Program
	for _, n := range needs {
		programs = append(programs, n.Programs...)
	}
	closures, err := program.Closures(ctx, pl.found.store, programs)
	if err != nil {
		return nil, nil, "", err
	}
	var items []times.Item
	index := map[string]int{}
	number := func(id string, i times.Item) int {
		if _, ok := index[id]; !ok {
			index[id] = len(items)
			items = append(items, i)
		}
		return index[id]
	}
	for _, n := range needs {
		u := shard.Unit{Artifact: n.Artifact, Portion: n.Portion, Items: []int{number(compressed(n))}}
		for k, p := range n.Programs {
			c, system, id := closures[k], p.System(), p.Identity()
			u.Systems, u.Sources, u.Programs = add(u.Systems, system), add(u.Sources, p.Tree.Source.Name),
				add(u.Programs, id)
			u.Items = append(u.Items, number(id, times.Item{System: system, Path: c.Program, Kind: times.Program}))
			for _, pkg := range c.Packages {
				u.Items = append(u.Items, number(pkg.ID, times.Item{System: system, Path: pkg.Path}))
			}
		}
		closures = closures[len(n.Programs):]
		slices.Sort(u.Items)
		u.Items = slices.Compact(u.Items)
		if len(n.Programs) == 0 { // is with what else is for its platforms
			for _, on := range n.Platforms {
				u.Systems = add(u.Systems, on.System().String())
			}
		}
		units = append(units, u)
	}
	weights, unit = w.Of(items)
	return units, weights, unit, nil
}

// compressed returns the item of compressing a need, under a unique name.
func compressed(n assemble.Need) (id string, i times.Item) {
	i = times.Item{System: n.Platforms[0].System().String(), Path: n.Name, Kind: times.Image}
	if n.Artifact {
		i.Kind = times.Artifact
	}
	return fmt.Sprint(i), i
}

// add adds a string to a sorted list that may have it.
func add(list []string, s string) []string {
	if n, found := slices.BinarySearch(list, s); !found {
		list = slices.Insert(list, n, s)
	}
	return list
}
