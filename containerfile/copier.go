package containerfile

import (
	"context"
	"fmt"
	"io/fs"
	"path"

	"github.com/moby/patternmatcher"
	mode "github.com/tonistiigi/dchapes-mode"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// copier copies files from one tree into another by the rules of BuildKit's file operations
// (github.com/tonistiigi/fsutil/copy), which are those of cp -a with some turns of its own.
type copier struct {
	src     tree.Files
	dst     *tree.Tree
	windows bool // metadata do not count
	// of all that is copied and made; nil keeps what the source has, and root makes directories
	owner   *tree.Owner
	chmod   chmod
	include *patternmatcher.PatternMatcher // nil for everything
	exclude *patternmatcher.PatternMatcher // nil for nothing

	matched bool                      // something was there to copy
	hard    map[*tree.Node]*tree.Node // files with several paths, that one source has
	led     map[string]string         // where directories of the current archive are, which are there
	parents []pending                 // directories above the current file, made when the first included file comes
}

// chmod is the value of --chmod.
type chmod struct {
	octal *fs.FileMode
	set   *mode.Set
}

func (c chmod) apply(m fs.FileMode) fs.FileMode {
	switch {
	case c.set != nil:
		return c.set.Apply(m)
	case c.octal != nil:
		return *c.octal
	}
	return m
}

type pending struct {
	dir  string
	node *tree.Node
	made bool
}

// made returns the node of a directory that is made on the way to a destination.
func (c *copier) made() *tree.Node {
	n := &tree.Node{Kind: layer.Dir, Mode: 0o755}
	if c.chmod.octal != nil {
		n.Mode = c.chmod.octal.Perm()
	}
	c.own(n)
	return n
}

// own gives a node the owner of --chown, if there is one.
func (c *copier) own(n *tree.Node) {
	if c.owner != nil {
		n.UID, n.GID = c.owner.UID, c.owner.GID
	}
}

// copied returns a node as it arrives at the destination. Capabilities stay, with another owner,
// too, since BuildKit sets them after it. Of what one source has, a file with several paths stays
// one.
func (c *copier) copied(n *tree.Node) *tree.Node {
	if c.hard[n] != nil {
		return c.hard[n]
	}
	k := *n
	c.own(&k)
	if k.Kind != layer.Symlink {
		k.Mode = c.chmod.apply(k.Mode|kindBits[k.Kind]) &^ fs.ModeType
	}
	if n.Hard && c.hard != nil {
		c.hard[n] = &k
	}
	return &k
}

// kindBits give a symbolic mode such as a+X the kind of file that it is applied to.
var kindBits = map[layer.Type]fs.FileMode{layer.Dir: fs.ModeDir}

// copy copies the file or the content of the directory src. A dest that ends in a slash, or that
// is a directory already, takes a file under its own name.
func (c *copier) copy(ctx context.Context, src, dest string) error {
	ensure := dest
	if dir, f := path.Split(dest); f != "" && f != "." {
		ensure = dir
	}
	p, err := tree.Follow(c.dst, ensure)
	if err != nil {
		return err
	}
	if err := c.dst.MkdirAll(p, c.made()); err != nil {
		return err
	}
	dest, there, err := tree.Resolve(c.dst, dest)
	if err != nil {
		return err
	}
	from, n, err := tree.Resolve(c.src, src)
	if err != nil {
		return err
	}
	if n == nil {
		return tree.Missing(c.src, src)
	}
	if n.Kind != layer.Dir && there != nil && there.Kind == layer.Dir {
		dest = path.Join(dest, path.Base(src))
	}
	target := path.Dir(dest)
	if n.Kind == layer.Dir && there == nil {
		target = dest
	}
	if err := c.dst.MkdirAll(target, c.made()); err != nil {
		return err
	}
	c.hard = map[*tree.Node]*tree.Node{}
	return c.node(ctx, n, place{from: from, dest: dest}, match{take: true})
}

// place is where a file comes from and goes to. rel is its path below what copy was asked for,
// empty for that itself.
type place struct{ from, rel, dest string }

// below returns the place of a file in the directory p.
func (p place) below(name string) place {
	return place{path.Join(p.from, name), path.Join(p.rel, name), path.Join(p.dest, name)}
}

// match says whether include and exclude take a path; in and ex have what they
// matched over to the paths below it.
type match struct {
	take, excluded bool
	in, ex         patternmatcher.MatchInfo
}

// match matches a path whose parent has the match m.
func (c *copier) match(rel string, m match) (match, error) {
	out := match{take: true}
	if rel == "" {
		return out, nil
	}
	var err error
	if c.include != nil {
		if out.take, out.in, err = c.include.MatchesUsingParentResults(rel, m.in); err != nil {
			return out, err
		}
	}
	if c.exclude != nil {
		if out.excluded, out.ex, err = c.exclude.MatchesUsingParentResults(rel, m.ex); err != nil {
			return out, err
		}
		out.take = out.take && !out.excluded
	}
	return out, nil
}

// node copies one file, and a directory with everything in it.
func (c *copier) node(ctx context.Context, n *tree.Node, p place, parent match) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m, err := c.match(p.rel, parent)
	if err != nil {
		return err
	}
	if n.Kind == layer.Dir {
		return c.directory(ctx, n, p, m)
	}
	if !m.take {
		return nil
	}
	if n.Odd != "" {
		return fmt.Errorf("%s is %s, which a layer cannot contain here", p.from, n.Odd)
	}
	if err := c.makeParents(); err != nil {
		return err
	}
	there, err := c.dst.Lstat(p.dest)
	if err != nil {
		return err
	}
	if there != nil && there.Kind == layer.Dir {
		return fmt.Errorf("%s is a directory and cannot be replaced by the file %s", p.dest, p.from)
	}
	c.matched = true
	return c.dst.Set(p.dest, c.copied(n))
}

func (c *copier) directory(ctx context.Context, n *tree.Node, p place, m match) error {
	c.parents = append(c.parents, pending{dir: p.dest, node: n})
	defer func() { c.parents = c.parents[:len(c.parents)-1] }()
	if m.take {
		c.matched = c.matched || p.rel != ""
		if err := c.makeParents(); err != nil {
			return err
		}
	}
	if m.excluded && !c.exclude.Exclusions() {
		return nil
	}
	names, err := c.src.ReadDir(p.from)
	if err != nil {
		return err
	}
	for _, name := range names {
		below := p.below(name)
		child, err := c.src.Lstat(below.from)
		if err != nil {
			return err
		}
		if child == nil {
			continue
		}
		if err := c.node(ctx, child, below, m); err != nil {
			return err
		}
	}
	return nil
}

// makeParents makes the missing directories above an included file. Those that exist get the
// metadata of the source, except the destination itself.
func (c *copier) makeParents() error {
	for i := range c.parents {
		p := &c.parents[i]
		if p.made {
			continue
		}
		p.made = true
		there, err := c.dst.Lstat(p.dir)
		switch {
		case err != nil:
			return err
		case there != nil && there.Kind != layer.Dir:
			return fmt.Errorf("%s is not a directory and cannot be replaced by one", p.dir)
		case there != nil && (i == 0 || c.windows):
			if _, err := c.dst.Claim(p.dir); err != nil && i > 0 {
				return err
			}
			continue
		}
		if err := c.dst.Set(p.dir, c.copied(p.node)); err != nil {
			return err
		}
	}
	return nil
}
