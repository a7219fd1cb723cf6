package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// evidence compares releases with a key with the same releases without one: hello and kpack with
// nothing changed, kpack with its programs compiled, and hello with nothing compiled. The
// difference is the cost of signing and of sending signatures; documents and statement are made
// without a key, too.
func (b *bench) evidence(ctx context.Context) error {
	return b.withKeys(ctx, []work{
		{name: "hello, nothing changed", product: "hello", turns: 9},
		{name: "kpack, nothing changed", product: "kpack", turns: 9},
		{name: "kpack, programs compiled, all else anew", product: "kpack", turns: 3, anew: true},
		{name: "hello, nothing compiled", product: "hello", turns: 3, anew: true, compile: true},
	})
}

// evidenceCold does so for kpack with nothing compiled.
func (b *bench) evidenceCold(ctx context.Context) error {
	return b.withKeys(ctx,
		[]work{{name: "kpack, nothing compiled", product: "kpack", turns: 1, anew: true, compile: true}})
}

// verify compares `airgap verify` with a key with the same without one, of the bundles for all
// platforms of releases that have one.
func (b *bench) verify(ctx context.Context) error {
	return b.signables(ctx, func(products map[string]*signable) error {
		for _, name := range []string{"hello", "kpack"} {
			c, err := b.verifyOne(ctx, name, products[name])
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			b.found(c)
		}
		return nil
	})
}

// verifyOne makes both releases and verifies the bundle of that with a key.
func (b *bench) verifyOne(ctx context.Context, name string, p *signable) (c comparison, err error) {
	var bundles [2]string
	for n, s := range b.sides(name, p) {
		if err := s.prepare(ctx, false); err != nil {
			return c, err
		}
		_, err := measure(ctx, "", s.command)
		s.stop()
		if err != nil {
			return c, err
		}
		bundles[n] = filepath.Join(s.dir, "dist", name+"-images.tar.zst")
		defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	}
	verify := []string{b.slipway, "verify", "-q", bundles[0]}
	c, err = byTurns(9, "airgap verify -key", "airgap verify", func(key bool) (figure, error) {
		if key {
			return measure(ctx, "", append(verify, "-key="+p.public))
		}
		return measure(ctx, "", verify)
	})
	c.title = fmt.Sprintf("Verifying the bundle of %s with a key", name)
	signed := size(bundles[0])
	c.ours.bytes, c.other[0].bytes = signed, signed
	c.notes = append(c.notes, fmt.Sprintf("%d bytes of the bundle are evidence", signed-size(bundles[1])))
	return c, err
}

// reproduce makes releases with a key again from their bundles, inputs and sources, with nothing
// compiled. A subject that differs is an error.
func (b *bench) reproduce(ctx context.Context) error {
	return b.signables(ctx, func(products map[string]*signable) error {
		for _, name := range []string{"hello", "kpack"} {
			s := b.sides(name, products[name])[0]
			if err := s.prepare(ctx, false); err != nil {
				return err
			}
			made, err := measure(ctx, "slipway release -key", s.command)
			s.stop()
			if err != nil {
				return err
			}
			again, err := measure(ctx, "slipway reproduce -key",
				[]string{b.slipway, "reproduce", "-q", "-key=" + s.product.public, filepath.Join(s.dir, "dist")})
			if err := errors.Join(err, os.RemoveAll(s.dir)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			c := comparison{
				title: fmt.Sprintf("Making %s again, with nothing compiled", name), ours: again,
				other: []figure{made},
			}
			if name == "kpack" {
				c.notes = append(c.notes, "the programs of the release were there")
			}
			b.found(c)
		}
		return nil
	})
}

// work is a release that is made with and without a key by turns.
type work struct {
	name, product string
	turns         int
	anew          bool // to an empty registry, of programs at most
	compile       bool // with an empty build cache, too
}

func (b *bench) withKeys(ctx context.Context, works []work) error {
	return b.signables(ctx, func(products map[string]*signable) error {
		for _, w := range works {
			c, err := b.withKey(ctx, w, products[w.product])
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			b.found(c)
		}
		return nil
	})
}

// withKey measures a work by turns. Files that are not made anew are made once before that.
func (b *bench) withKey(ctx context.Context, w work, p *signable) (c comparison, err error) {
	sides := b.sides(w.product, p)
	for _, s := range sides {
		defer func() { s.stop(); err = errors.Join(err, os.RemoveAll(s.dir)) }()
		if w.anew {
			continue
		}
		if err := s.prepare(ctx, false); err != nil {
			return c, err
		}
		if _, err := measure(ctx, "", s.command); err != nil {
			return c, err
		}
	}
	c, err = byTurns(w.turns, "slipway release -key", "slipway release", func(key bool) (figure, error) {
		s := sides[1]
		if key {
			s = sides[0]
		}
		if w.anew {
			s.stop()
			if err := s.prepare(ctx, w.compile); err != nil {
				return figure{}, err
			}
		}
		return measure(ctx, "", s.command)
	})
	c.title = "The cost of a key: " + w.name
	return c, err
}

// side is a release with a key, or the same without one, to a registry of its own.
type side struct {
	bench   *bench
	dir     string // of everything that it makes
	from    string // a store with programs; "" for none
	command []string
	stop    func() // stops the registry

	product *signable
	key     bool
}

// sides returns the release with a key and that without.
func (b *bench) sides(name string, p *signable) [2]*side {
	var both [2]*side
	for n, kind := range []string{"signed", "plain"} {
		both[n] = &side{bench: b, product: p, dir: filepath.Join(b.tmp, name+"-"+kind), key: n == 0, stop: func() {}}
		if name == "kpack" {
			both[n].from = filepath.Join(b.tmp, "programs")
		}
	}
	return both
}

// prepare starts an empty registry, and empties the directories but for the programs. With compile,
// these and the build cache are empty, too.
func (s *side) prepare(ctx context.Context, compile bool) error {
	if err := errors.Join(os.RemoveAll(s.dir), os.Mkdir(s.dir, 0o755)); err != nil {
		return err
	}
	store := filepath.Join(s.dir, "store")
	if s.from != "" && !compile {
		if _, err := measure(ctx, "", []string{"cp", "-a", s.from, store}); err != nil {
			return err
		}
	}
	addr, stop, err := s.bench.nextRegistry(ctx)
	if err != nil {
		return err
	}
	s.stop = stop
	s.command = []string{"env", "SLIPWAY_PASSWORD=" + benchPassword}
	if compile {
		s.command = append(s.command, "GOCACHE="+filepath.Join(s.dir, "cache"))
	}
	s.command = append(s.command, s.bench.slipway, "release", "-q", "-binary=false", "-product", s.product.product,
		"-registry", addr+"/bench", "-store", store, "-out", filepath.Join(s.dir, "dist"))
	if s.key {
		s.command = append(s.command, "-sign="+s.product.key)
	}
	return nil
}

// byTurns measures two ways to do the same work, one with a key, in turns. Of each it keeps the
// least seconds and the least processor seconds, which may be of different turns: other work on the
// machine only adds to both.
func byTurns(turns int, with, without string, run func(key bool) (figure, error)) (comparison, error) {
	c := comparison{ours: figure{name: with}, other: []figure{{name: without}}}
	for n := range 2 * turns {
		// ABBA, so that a machine that slows down counts for both
		key := n%4 == 0 || n%4 == 3
		f, err := run(key)
		if err != nil {
			return c, err
		}
		least := &c.other[0]
		if key {
			least = &c.ours
		}
		*least = least.least(f)
	}
	a, b := c.ours, c.other[0]
	c.notes = append(c.notes, fmt.Sprintf("with a key: %+.2f seconds (%+.1f %%), %+.2f processor seconds (%+.1f %%)",
		a.seconds-b.seconds, 100*(a.seconds/b.seconds-1), a.processors-b.processors, 100*(a.processors/b.processors-1)))
	return c, nil
}

// least returns the least time of two runs, and the largest peak.
func (f figure) least(other figure) figure {
	if f.peak == 0 {
		other.name = f.name
		return other
	}
	f.seconds, f.processors, f.peak = min(f.seconds, other.seconds), min(f.processors, other.processors),
		max(f.peak, other.peak)
	return f
}
