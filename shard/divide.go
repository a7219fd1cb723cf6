package shard

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/product"
)

// Unit is the smallest piece of a plan: an image for all platforms of one operating system and
// architecture, since Windows releases share programs and layers; an image without an index; or
// an artifact for one platform.
type Unit struct {
	Artifact bool
	product.Portion

	Systems  []string // that its programs are compiled for, such as linux/amd64
	Sources  []string // of its programs, by name
	Programs []string // that are compiled for it, each with its system and flags
	// Items are what it needs, by their indexes in the list of weights: packages to compile,
	// programs to link, layers to compress. Units that need one item share it if they are in one
	// shard.
	Items []int
}

// gain is how much faster the slowest shard must become for a finer division, in which several
// shards compile the same packages.
const gain = 0.9

// Divide divides units into at most n shards, heaviest first. weights are those of the items.
//
// Divide tries four divisions, from coarse to fine: units of the same systems together, units of
// the same sources for the same systems, units that share programs, and single units. A finer one
// is taken if it makes the slowest shard a tenth faster at least. There are fewer than n shards
// where more would not be faster.
func Divide(units []Unit, weights []float64, n int) [][]int {
	units, weights = merge(units, weights)
	var best *division
	for _, level := range levels {
		d := divide(units, weights, group(units, level), n)
		if best == nil || d.slowest() < best.slowest()*gain {
			best = d
		}
	}
	return best.shards()
}

// merge makes one item of those that the same units need, of which there are many.
func merge(units []Unit, weights []float64) (merged []Unit, sums []float64) {
	users := make([][]byte, len(weights))
	for n, u := range units {
		for _, i := range u.Items {
			users[i] = binary.AppendUvarint(users[i], uint64(n))
		}
	}
	as := map[string]int{}
	merged = slices.Clone(units)
	for n := range merged {
		merged[n].Items = nil
	}
	for i, by := range users {
		at, ok := as[string(by)]
		if !ok {
			at = len(sums)
			as[string(by)] = at
			sums = append(sums, 0)
			for n := range units {
				if slices.Contains(units[n].Items, i) {
					merged[n].Items = append(merged[n].Items, at)
				}
			}
		}
		sums[at] += weights[i]
	}
	return merged, sums
}

// levels name what units have in common that stay together.
var levels = []func(Unit) []string{
	func(u Unit) []string { return []string{strings.Join(u.Systems, "+")} },
	func(u Unit) []string {
		return []string{strings.Join(u.Systems, "+") + " " + strings.Join(u.Sources, "+")}
	},
	func(u Unit) []string { return u.Programs },
	func(Unit) []string { return nil },
}

// piece is a set of units that stay together.
type piece struct {
	units []int
	items []bool
}

// group joins units that have a name in common, directly or through others.
func group(units []Unit, names func(Unit) []string) []*piece {
	of := map[string]int{} // unit by name
	parent := make([]int, len(units))
	var root func(int) int
	root = func(n int) int {
		if parent[n] != n {
			parent[n] = root(parent[n])
		}
		return parent[n]
	}
	for n, u := range units {
		parent[n] = n
		for _, name := range names(u) {
			if o, ok := of[name]; ok {
				a, b := root(o), root(n)
				parent[max(a, b)] = min(a, b)
			} else {
				of[name] = n
			}
		}
	}
	at := map[int]*piece{}
	var all []*piece
	for n := range units {
		p := at[root(n)]
		if p == nil {
			p = &piece{}
			at[root(n)] = p
			all = append(all, p)
		}
		p.units = append(p.units, n)
	}
	return all
}

// division is a division of pieces, the assigned shard of each.
type division struct {
	pieces  []*piece
	weights []float64
	of      [][]*piece // by shard
	cost    []float64  // by shard
}

func divide(units []Unit, weights []float64, pieces []*piece, n int) *division {
	d := &division{pieces: pieces, weights: weights, of: make([][]*piece, n), cost: make([]float64, n)}
	for _, p := range pieces {
		p.items = make([]bool, len(weights))
		for _, u := range p.units {
			for _, i := range units[u].Items {
				p.items[i] = true
			}
		}
	}
	slices.SortStableFunc(d.pieces, func(a, b *piece) int {
		return cmp.Compare(d.weigh([]*piece{b}), d.weigh([]*piece{a}))
	})
	for _, p := range d.pieces {
		to, least := 0, 0.0
		for s := range d.of {
			if c := d.weigh(append(slices.Clip(d.of[s]), p)); s == 0 || c < least {
				to, least = s, c
			}
		}
		d.set(to, append(d.of[to], p))
	}
	for d.improve() {
	}
	return d
}

// weigh returns the weight of pieces on one machine.
func (d *division) weigh(pieces []*piece) (sum float64) {
	for i, w := range d.weights {
		if slices.ContainsFunc(pieces, func(p *piece) bool { return p.items[i] }) {
			sum += w
		}
	}
	return sum
}

func (d *division) set(s int, pieces []*piece) { d.of[s], d.cost[s] = pieces, d.weigh(pieces) }

func (d *division) slowest() float64 { return slices.Max(d.cost) }

// improve moves a piece of the slowest shard to another, or exchanges it for one of another, if
// both are faster then than the slowest was.
func (d *division) improve() bool {
	from := slices.Index(d.cost, d.slowest())
	for n, p := range d.of[from] {
		rest := slices.Delete(slices.Clone(d.of[from]), n, n+1)
		for to := range d.of {
			if to == from {
				continue
			}
			for k := -1; k < len(d.of[to]); k++ {
				back, there := slices.Clone(rest), slices.Clone(d.of[to])
				if k >= 0 {
					back, there = append(back, there[k]), slices.Delete(there, k, k+1)
				}
				there = append(there, p)
				if limit := d.cost[from] * (1 - 1e-9); d.weigh(back) < limit && d.weigh(there) < limit {
					d.set(from, back)
					d.set(to, there)
					return true
				}
			}
		}
	}
	return false
}

// shards returns the units of each shard, heaviest first, without empty shards.
func (d *division) shards() (all [][]int) {
	order := make([]int, len(d.of))
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.cost[b], d.cost[a]) })
	for _, s := range order {
		var units []int
		for _, p := range d.of[s] {
			units = append(units, p.units...)
		}
		if slices.Sort(units); len(units) > 0 {
			all = append(all, units)
		}
	}
	return all
}

// Weigh returns the weight of units on one machine.
func Weigh(units []Unit, weights []float64, of []int) float64 {
	needed := make([]bool, len(weights))
	sum := 0.0
	for _, u := range of {
		for _, i := range units[u].Items {
			if !needed[i] {
				needed[i] = true
				sum += weights[i]
			}
		}
	}
	return sum
}

// Describe returns a shard of units.
func Describe(number int, units []Unit, weights []float64, of []int) Shard {
	s := Shard{Number: number, Weight: times.Round(Weigh(units, weights, of))}
	for _, u := range of {
		to := &s.Images
		if units[u].Artifact {
			to = &s.Artifacts
		}
		n := slices.IndexFunc(*to, func(p product.Portion) bool { return p.Name == units[u].Name })
		if n < 0 {
			n = len(*to)
			*to = append(*to, product.Portion{Name: units[u].Name})
		}
		(*to)[n].Platforms = append((*to)[n].Platforms, units[u].Platforms...)
	}
	return s
}
