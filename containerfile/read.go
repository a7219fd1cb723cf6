package containerfile

import (
	"context"
	"maps"

	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// Read completes what a check has found by the contents of files, where nothing was assumed: then
// it is what evaluating the Dockerfile anew would find. ok is false where it has to be evaluated,
// also for an error, which is then found in its place. It may be called once.
func (r Result) Read() (_ Result, ok bool) {
	b := r.made
	if b == nil {
		return r, false
	}
	b.reading = true
	t := r.start.image.Tree
	for _, l := range r.Layers {
		if err := t.Fill(l.unread); err != nil {
			return r, false
		}
	}
	r.start.image.Check, r.made = false, nil
	return r, true
}

// Close ends what [Input.Keep] keeps open.
func (r Result) Close() {
	if r.made != nil {
		r.made.close()
	}
}

// Held returns how many files a result holds in memory, about; 0 if it cannot be read.
func (r Result) Held() int {
	if r.made == nil {
		return 0
	}
	return r.made.held
}

// assume notes that a check took something for granted, or asked for contents that it does not
// have.
func (b *builder) assume() { b.assumed = true }

// keeps reports whether a check has found all that there is to know but contents.
func (b *builder) keeps() bool {
	if !b.in.Check || !b.in.Keep || b.assumed {
		return false
	}
	for _, s := range b.stages {
		if s.Tree == nil {
			continue
		}
		if s.Tree.Later || !s.Toolchain && (s.Tree.Open || s.Tree.More) {
			return false
		}
		b.held += len(s.Tree.Nodes)
	}
	return true
}

// files makes a tree of single files, of which a check may not have the contents.
func (b *builder) files(list map[string]tree.File) (*tree.Tree, error) {
	list = maps.Clone(list)
	for name, f := range list {
		if later := f.Later; later != nil {
			f.Later = func() layer.Content {
				if !b.reading {
					b.assume()
				}
				return later()
			}
			list[name] = f
		}
	}
	return tree.FromFiles(list)
}

// compiled returns a program of a go build, of which a check has nothing until it is read.
func (b *builder) compiled(ctx context.Context, g run.GoBuild) (layer.Content, error) {
	if b.in.Check && !b.reading {
		b.assume()
		return layer.Content{}, nil
	}
	return b.in.Compiler.File(ctx, g)
}
