package dockerfile

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/build/layer"
)

// A stage that is not a part of the image and compiles programs is a toolchain: the programs are
// compiled by Slipway, and the base, such as golang, is not needed. It is read only if a file is
// copied that no instruction of the stage has made.

// findToolchains marks the stages that are toolchains: all that start from one base, if none is a
// part of the target and one of them compiles or sets up.
func (b *builder) findToolchains(target *stage) {
	root := func(s *stage) *stage {
		for s.from != nil {
			s = s.from
		}
		return s
	}
	shipped, marked := root(target), map[*stage]bool{}
	for _, s := range b.stages {
		for _, c := range s.commands {
			if run, ok := c.Command.(*instructions.RunCommand); ok && root(s) != shipped && compiles(run) {
				marked[root(s)] = true
			}
		}
	}
	for _, s := range b.stages {
		s.toolchain = marked[root(s)]
	}
}

// beginToolchain gives a stage the configuration that golang's images have.
func (s *stage) beginToolchain() {
	s.tree = s.newTree(nil)
	s.tree.below = func() (*tree, error) { return newTree(nil), nil }
	s.tree.open = true
	s.env = newEnvironment(nil)
	s.env.unread = s.base
	s.config.WorkingDir = "/go"
	s.config.Env = []string{"GOPATH=/go", "PATH=/go/bin:/usr/local/go/bin:" + defaultPath}
	if s.windows() {
		s.config.WorkingDir = `C:\go`
		s.config.Env = []string{`GOPATH=C:\go`}
	}
}

// complete puts the files of the base under a toolchain of which something else is copied than it
// has made.
func (b *builder) complete(ctx context.Context, s *stage, paths []string) error {
	for _, p := range paths {
		if strings.ContainsAny(p, "*?[") {
			p, _, _ = strings.Cut(p, "*")
			p = path.Dir(p)
		}
		at, n, err := resolve(s.tree, path.Join("/", slashed(p)))
		if err != nil {
			return err
		}
		if doubts := s.doubts(at, n); len(doubts) > 0 {
			return b.doubted(s, p, at, n, doubts)
		}
		if s.completed || s.tree.later || s.made(path.Join("/", slashed(p))) {
			continue
		}
		base, img, err := b.image(ctx, s.base, s.system)
		if err != nil {
			return fmt.Errorf("%s is not made in the stage %s, and is looked for in its base: %w", p, s.title(), err)
		}
		b.refers(s.Location, s.BaseName, base, s.system)
		s.completed = true
		if base.Image == nil {
			return nil
		}
		s.baseImage, s.tree.below, s.tree.open = base, img.files, img.open
	}
	return nil
}

// tools reports whether a COPY takes tools of another image into the system of a toolchain, such as
// COPY --from=xx / /. They are not needed, and their image is not asked for.
func (b *builder) tools(s *stage, c *instructions.CopyCommand) bool {
	if c.From == "" {
		return false
	}
	other := b.find(c.From)
	_, context := b.in.Contexts[c.From]
	dest, err := s.destination(c.DestPath)
	top, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(dest, "/")), "/")
	return err == nil && !context && (other == nil || len(other.commands) == 0 && other.from == nil && other.index < s.index) &&
		(top == "" || slices.Contains(systemDirs, top))
}

func (s *stage) title() string {
	if s.Name != "" {
		return s.Name
	}
	return fmt.Sprint(s.index)
}

// program notes the programs among the files that the target gets.
func (b *builder) program(s *stage, entries []layer.Entry) {
	if s.toolchain || b.shipped == nil || !slices.Contains(b.shipped, s) {
		return
	}
	for _, e := range entries {
		if n := s.tree.nodes[e.Path]; n != nil {
			if g, ok := n.made.(*GoBuild); ok {
				b.builds = append(b.builds, *g)
			}
		}
	}
}
