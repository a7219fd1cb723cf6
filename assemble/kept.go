package assemble

import (
	"context"
	"sync"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// maxHeld bounds the files of Dockerfiles that are kept in memory between a check and the build,
// all together: some 50 MB. What is more is evaluated again.
const maxHeld = 128 << 10

// kept are Dockerfiles that a check has evaluated and that wait for their programs.
type kept struct {
	mu   sync.Mutex
	all  map[evaluation]evaluated
	held int
}

type evaluation struct {
	image string
	on    platform.Platform
}

type evaluated struct {
	containerfile.Result

	programs map[string]layer.Content // to be filled, by name
}

// Keep lets [Builder.Check] leave to [Builder.Images] what it has found in Dockerfiles in which it
// took nothing for granted, so that these are evaluated once. What the images are made from is
// looked at before: see [Builder.Unchanged].
func (b *Builder) Keep() { b.kept = &kept{all: map[evaluation]evaluated{}} }

func (k *kept) add(i product.Image, p platform.Platform, e evaluated) {
	if k == nil || e.Held() == 0 {
		e.Close()
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held+e.Held() > maxHeld {
		e.Close()
		return
	}
	k.held += e.Held()
	k.all[evaluation{i.Name, p}] = e
}

// take returns what was kept of an image, for one call.
func (k *kept) take(i product.Image, p platform.Platform) (e evaluated, ok bool) {
	if k == nil {
		return e, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	key := evaluation{i.Name, p}
	e, ok = k.all[key]
	delete(k.all, key)
	return e, ok
}

// drop forgets what nobody took.
func (k *kept) drop() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.all {
		e.Close()
	}
	clear(k.all)
}

// evaluateOnce evaluates the image's Dockerfile for one platform when its programs are there, or
// completes what the check has found.
func (b *Builder) evaluateOnce(
	ctx context.Context, i product.Image, p platform.Platform,
) (containerfile.Result, error) {
	e, ok := b.kept.take(i, p)
	defer e.Close()
	programs, err := b.binaries(i, p, func(name string) (containerfile.File, error) {
		c, err := b.file(ctx, b.product.Program(name), p)
		if ok {
			e.programs[name] = c
		}
		return containerfile.File{Content: c}, err
	})
	if err != nil {
		return containerfile.Result{}, err
	}
	if ok {
		if r, ok := e.Read(); ok {
			return r, nil
		}
	}
	return b.evaluate(ctx, i, p, programs, false)
}
