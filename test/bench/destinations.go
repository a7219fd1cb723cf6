package main

import (
	"context"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry"
)

// copier is a tool that copies images between registries, one at a time.
type copier struct {
	name string
	copy func(from, to string) []string // the command
}

// copiers are the tools that slipway is compared with. What they read and write is on this machine
// without TLS.
func (b *bench) copiers() []copier {
	return []copier{
		{"crane copy", func(from, to string) []string { return []string{b.crane, "copy", "--insecure", from, to} }},
		{"regctl image copy", func(from, to string) []string {
			args := []string{b.regctl}
			for _, ref := range []string{from, to} {
				host, _, _ := strings.Cut(ref, "/")
				args = append(args, "--host", "reg="+host+",tls=disabled")
			}
			return append(args, "image", "copy", from, to)
		}},
	}
}

// copies returns the commands that copy every image of a lock from one registry to another.
func (c copier) copies(l *lock.Lock, from, to string) [][]string {
	var all [][]string
	for _, i := range l.Images {
		path := strings.TrimPrefix(i.Repository, l.Registry) + ":" + i.Tags[0]
		all = append(all, c.copy(from+path, to+path))
	}
	return all
}

// destinations publishes all images to two empty registries, and then again. The others copy them
// to one registry after the other, from slipway's embedded registry. Each uses docker-registries of
// its own.
func (b *bench) destinations(ctx context.Context) (comparison, error) {
	l, st, err := readRelease(b.dist, b.store)
	if err != nil {
		return comparison{}, err
	}
	from := httptest.NewServer(registry.Handler(st, l))
	defer from.Close()
	self, err := os.Executable()
	if err != nil {
		return comparison{}, err
	}
	once, perImage, err := content(st, l)
	if err != nil {
		return comparison{}, err
	}
	ours, again, err := b.twice(ctx, "slipway publish", func(to []string) [][]string {
		return [][]string{{self, "publish", b.product, b.dist, b.store, strings.Join(to, ",")}}
	})
	if err != nil {
		return comparison{}, err
	}
	ours.bytes = 2 * once
	c := comparison{title: "Publishing all images to two empty registries", ours: ours, other: []figure{again}}
	for _, tool := range b.copiers() {
		first, again, err := b.twice(ctx, tool.name+", twice", func(to []string) (all [][]string) {
			for _, r := range to {
				all = append(all, tool.copies(l, strings.TrimPrefix(from.URL, "http://"), r)...)
			}
			return all
		})
		if err != nil {
			return c, err
		}
		first.bytes = 2 * perImage
		c.other = append(c.other, first, again)
	}
	return c, nil
}

// twice measures commands on two empty registries, and then again. Each figure is the best of three
// runs.
func (b *bench) twice(ctx context.Context, name string,
	commands func(to []string) [][]string,
) (first, again figure, err error) {
	for range 3 {
		var to []string
		stop := func() {}
		for range 2 {
			addr, end, err := b.nextRegistry(ctx)
			if err != nil {
				stop()
				return first, again, err
			}
			before := stop
			stop = func() { before(); end() }
			to = append(to, addr)
		}
		one, err := measure(ctx, name, commands(to)...)
		if err == nil {
			first = first.best(one)
			one, err = measure(ctx, name+", again", commands(to)...)
			again = again.best(one)
		}
		stop()
		if err != nil {
			return first, again, err
		}
	}
	return first, again, nil
}
