package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// promote copies 20 images from one docker-registry to an empty one, and then again: the images of
// the release under additional names.
func (b *bench) promote(ctx context.Context) (comparison, error) {
	l, st, err := readRelease(b.dist, b.store)
	if err != nil {
		return comparison{}, err
	}
	from, stop, err := b.nextRegistry(ctx)
	if err != nil {
		return comparison{}, err
	}
	defer stop()
	many := twenty(l)
	for n := range many.Images {
		i := &many.Images[n]
		i.Repository = from + strings.TrimPrefix(i.Repository, l.Registry)
	}
	many.Registry, many.Snapshot = from, false
	if err := fill(ctx, st, many); err != nil {
		return comparison{}, err
	}
	path := filepath.Join(b.tmp, lock.Name)
	if err := many.Write(path); err != nil {
		return comparison{}, err
	}
	ways := []pusher{{"slipway promote", func(to string) [][]string {
		return [][]string{{b.slipway, "promote", path, "-to", to, "-q"}}
	}}}
	for _, tool := range b.copiers() {
		ways = append(ways, pusher{tool.name, func(to string) [][]string { return tool.copies(many, from, to) }})
	}
	once, perImage, err := content(st, many)
	if err != nil {
		return comparison{}, err
	}
	var all []figure
	for _, way := range ways {
		var first, again figure
		for range 3 {
			one, other, err := b.pushTwice(ctx, way)
			if err != nil {
				return comparison{}, err
			}
			first, again = first.best(one), again.best(other)
		}
		first.bytes = perImage
		if len(all) == 0 {
			first.bytes = once
		}
		all = append(all, first, again)
	}
	return comparison{
		title: fmt.Sprintf("Promoting %d images to another registry", len(many.Images)),
		ours:  all[0], other: all[1:],
	}, nil
}

// twenty returns the lock of a release with 20 images: those of l under additional names.
func twenty(l *lock.Lock) *lock.Lock {
	many := *l
	many.Images, many.ThirdParty, many.Copies = nil, nil, nil
	for n := range 20 {
		i := l.Images[n%len(l.Images)]
		i.Name += strconv.Itoa(n)
		i.Repository += strconv.Itoa(n)
		i.Copies, i.FloatingTags, i.Referrers = nil, nil, nil
		many.Images = append(many.Images, i)
	}
	return &many
}

// fill pushes the images of a lock to its registry.
func fill(ctx context.Context, st *store.Store, l *lock.Lock) error {
	var images []transfer.Image
	for _, i := range l.Images {
		tree, err := oci.Read(i.Descriptor(), st.Get, oci.Limits{})
		if err != nil {
			return err
		}
		ref, err := name.NewTag(i.Tagged())
		if err != nil {
			return err
		}
		images = append(images, transfer.Image{Name: i.Name, Ref: ref, Tree: tree})
	}
	c := transfer.New(network.Options{})
	_, err := c.Push(ctx, images, c.FromStore(ctx, st, images), transfer.PushOptions{Task: "fill"})
	return err
}
