package containerfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// source returns the files that --from means, of a stage, a named context or an image, and the
// image that they come from, if any.
// paths are those that are wanted of it.
func (b *builder) source(ctx context.Context, s *stage, from string, paths ...string) (tree.Files, base.Base, error) {
	if other := b.find(from); other != nil {
		if other.index >= s.index {
			return nil, base.Base{}, fmt.Errorf("stage %s is defined below: move it above this stage", from)
		}
		made, err := b.output(other)
		if err != nil {
			return nil, base.Base{}, err
		}
		if made != nil {
			b.compareReplaced(ctx, other)
			if paths, err = wanted(made, paths); err != nil || len(paths) == 0 {
				return made, base.Base{}, err
			}
		}
		b.eval(ctx, other)
		if other.failed || other.Tree == nil {
			return nil, base.Base{}, run.ErrReported
		}
		if made != nil {
			if err := other.fill(made); err != nil {
				return nil, base.Base{}, err
			}
		}
		if other.Toolchain {
			if err := b.addBase(ctx, other, paths); err != nil {
				return nil, base.Base{}, err
			}
			if !other.baseRead && !other.Tree.Later {
				known := *other.Tree // it has all the wanted files
				known.Below, known.Open = nil, false
				return &known, base.Base{}, nil
			}
		}
		return other.Tree, other.baseImage, nil
	}
	if c, ok := b.in.Contexts[from]; ok {
		f, err := b.openContext(ctx, from, c)
		return f, base.Base{}, err
	}
	if strings.Trim(from, "0123456789") == "" {
		return nil, base.Base{}, fmt.Errorf("stage %s does not exist: stages count from 0", from)
	}
	found, img, err := b.image(ctx, from, normalize(b.in.Platform))
	if err != nil {
		return nil, base.Base{}, b.notNamed("--from=", from, err)
	}
	if found.Image == nil {
		return tree.New(nil), found, nil
	}
	t, err := img.files()
	return t, found, err
}

// notNamed returns the error for an image that is not there. One without a tag, a digest or a
// repository may be a stage or a context that was meant.
func (b *builder) notNamed(flag, image string, err error) error {
	if known := (base.KnownError{}); strings.ContainsAny(image, "/:@") || errors.As(err, &known) {
		return err
	}
	return fmt.Errorf("%s%s is neither a stage above nor a named context (%s): %w", flag, image, b.contextNames(), err)
}

func (b *builder) contextNames() string {
	return "there are " + tree.List(slices.Sorted(maps.Keys(b.in.Contexts)), "contexts")
}

// openContext opens a named context, once.
func (b *builder) openContext(ctx context.Context, name string, c Context) (tree.Files, error) {
	if f, ok := b.contexts[name]; ok {
		return f, nil
	}
	var f tree.Files
	var err error
	if c.Dir != "" {
		f, err = tree.OpenDirectory(b.in.Store, c.Dir, c.Except, b.mode(ctx))
	} else {
		f, err = b.files(c.Files)
	}
	if err != nil {
		return nil, fmt.Errorf("context %s: %w", name, err)
	}
	put(&b.contexts, name, f)
	return f, nil
}

// buildContext opens the context that COPY without --from reads.
func (b *builder) buildContext(ctx context.Context) (tree.Files, error) {
	if f, ok := b.contexts[""]; ok {
		return f, nil
	}
	if b.in.Context == "" {
		return nil, errors.New("the image has no build context to copy from: name one, or use --from")
	}
	d, err := tree.OpenDirectory(b.in.Store, b.in.Context, b.in.Except, b.mode(ctx), b.in.File+".dockerignore")
	if err != nil {
		return nil, err
	}
	if len(b.in.Outputs[""]) == 0 {
		put[tree.Files](&b.contexts, "", d)
		return d, nil
	}
	made, err := b.files(b.in.Outputs[""])
	if err != nil {
		return nil, err
	}
	b.dirs = append(b.dirs, d)
	put[tree.Files](&b.contexts, "", tree.Overlay{Over: made, Under: d})
	return b.contexts[""], nil
}

// mode returns the modes of files of contexts: those of [Input.Mode], or of the disk.
func (b *builder) mode(ctx context.Context) tree.ModeOf {
	if b.in.Mode == nil {
		return tree.DiskMode
	}
	return func(path string, fi fs.FileInfo) (fs.FileMode, error) { return b.in.Mode(ctx, path, fi) }
}

func (b *builder) close() {
	for _, d := range b.dirs {
		d.Root.Close()
	}
	for _, f := range b.contexts {
		if d, ok := f.(*tree.Directory); ok {
			d.Root.Close()
		}
	}
}

// output returns the files of [Input.Outputs] for a stage, nil for none.
func (b *builder) output(s *stage) (*tree.Tree, error) {
	for name, list := range b.in.Outputs {
		if name != "" && b.find(name) == s {
			return b.files(list)
		}
	}
	return nil, nil
}

// wanted returns those of paths that the tree lacks or has as a directory, which may be
// incomplete.
func wanted(have *tree.Tree, paths []string) ([]string, error) {
	var left []string
	for _, p := range paths {
		found, err := tree.Glob(have, path.Clean("/"+tree.Slashed(p)))
		if err != nil {
			return nil, err
		}
		directory := func(p string) bool { n := have.Nodes[p]; return n == nil || n.Kind == layer.Dir }
		if len(found) == 0 || slices.ContainsFunc(found, directory) {
			left = append(left, p)
		}
	}
	return left, nil
}

// fill lays the files of [Input.Outputs] over a stage that was evaluated.
func (s *stage) fill(with *tree.Tree) error {
	for _, p := range slices.Sorted(maps.Keys(with.Nodes)) {
		if with.Nodes[p].Kind == layer.Dir {
			continue
		}
		if err := s.Tree.MkdirAll(path.Dir(p), tree.Root); err != nil {
			return err
		}
		if err := s.Tree.Set(p, with.Nodes[p]); err != nil {
			return err
		}
	}
	s.Tree.Begin()
	return nil
}
