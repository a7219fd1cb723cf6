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
// all together: some 50 MB. Dockerfiles beyond it are evaluated again.
const maxHeld = 128 << 10

// kept has the Dockerfiles that a check has evaluated and that wait for their programs; nil has
// no Dockerfiles.
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
	containerfile.Checked

	programs *latePrograms
}

// latePrograms are the programs of a Dockerfile, which a check lacks and a build fills in.
type latePrograms struct {
	declared map[string]layer.Content // those of slipway.yaml, by name
	compiled func(context.Context, containerfile.GoBuild) (layer.Content, error)
}

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

// take returns the evaluation of an image, for one call.
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

// drop forgets the evaluations that nobody took.
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

// evaluate evaluates the image's Dockerfile for one platform once its programs are compiled, or
// completes the evaluation of the check.
func (m *maker) evaluate(ctx context.Context, i product.Image, p platform.Platform) (containerfile.Result, error) {
	e, ok := m.kept.take(i, p)
	defer e.Close()
	made := map[string]layer.Content{}
	in, err := m.dockerfile(i, p, func(name string) (f containerfile.File, err error) {
		f.Content, err = m.file(ctx, m.Product.Program(name), p)
		made[name] = f.Content
		return f, err
	})
	if err != nil {
		return containerfile.Result{}, err
	}
	if ok {
		*e.programs = latePrograms{made, m.compiled}
		if r, ok := e.Complete(); ok {
			return r, nil
		}
	}
	in.Compiler.File = m.compiled
	return containerfile.Build(ctx, in)
}
