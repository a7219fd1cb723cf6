package containerfile

import (
	"context"
	"maps"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/platform"
)

// Result is an image in parts.
type Result struct {
	Base base.Base
	// Others are the images besides Base that are bases of stages or that files were copied from,
	// sorted by name.
	Others []base.Info
	// Config is the complete configuration, including that of the base.
	Config v1.Config
	Author string // of MAINTAINER
	// Layers go on top of the base's, in this order.
	Layers []Layer
	// Demands are those of the images that were used, each with file:line:column.
	Demands []error
	// References are the images that were used and are not bases of slipway.yaml.
	References []Reference
	// History follows the base's: one record per instruction. Those without EmptyLayer belong to
	// Layers, in order.
	History []v1.History

	// Builds are the programs of go build that the layers have, in no order.
	Builds []run.GoBuild

	start start
}

// Layer is what one instruction changed.
type Layer struct {
	Entries   []layer.Entry // sorted by path; never empty
	CreatedBy string

	unread tree.Entries // the same, for [Checked.Complete]
}

// Checked is the result of [Check]: an image whose layers lack the contents of files.
type Checked struct {
	Result

	made *builder // nil where the image has to be evaluated again
}

// Complete returns the result that [Build] would return, with the contents of files. ok is false
// where the check assumed something, or for an error: Build then has to evaluate the Dockerfile,
// and reports the error in its place. Complete may be called once.
func (c Checked) Complete() (_ Result, ok bool) {
	if c.made == nil {
		return c.Result, false
	}
	c.made.reading = true
	for _, l := range c.Layers {
		if err := c.start.image.Tree.Fill(l.unread); err != nil {
			return c.Result, false
		}
	}
	c.start.image.Check = false
	return c.Result, true
}

// Close closes the directories that the check reads.
func (c Checked) Close() {
	if c.made != nil {
		c.made.close()
	}
}

// Held returns about how many files the check holds in memory; 0 if it cannot be completed.
func (c Checked) Held() int {
	if c.made == nil {
		return 0
	}
	return c.made.held
}

// assume records that a check assumed something, or asked for contents that it does not have.
func (b *builder) assume() { b.assumed = true }

// complete reports whether a check has found everything except contents.
func (b *builder) complete() bool {
	if !b.check || b.assumed {
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
	if b.check && !b.reading {
		b.assume()
		return layer.Content{}, nil
	}
	return b.in.Compiler.File(ctx, g)
}

// Files returns the files of a Linux image as its containers see them, with those of its base. ok
// reports whether all of them are known: they are not on a stub, nor in a check that leaves a RUN
// to a release.
func (r Result) Files() (files tree.Files, ok bool) {
	t := r.start.image.Tree
	if t == nil || t.Open || t.More || t.Later || r.start.image.On.OS == platform.Windows {
		return nil, false
	}
	return t, true
}
