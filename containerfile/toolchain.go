package containerfile

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/image/entrypoint"
	"github.com/slipway-dev/slipway/image/environment"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/output"
)

// A stage that is not a part of the image and compiles programs is a toolchain: the programs are
// compiled by Slipway, and the base, such as golang, is read only if a file is copied that no
// instruction of the stage has made.

// findToolchains marks the stages that are toolchains: all that start from one base, if none is a
// part of the target and one of them compiles or sets up.
func (b *builder) findToolchains(target *stage) {
	shipped, marked := root(target), map[*stage]bool{}
	for _, s := range b.stages {
		for _, c := range s.commands {
			if line, ok := c.Command.(*instructions.RunCommand); ok && root(s) != shipped && run.Compiles(line) {
				marked[root(s)] = true
			}
		}
	}
	for _, s := range b.stages {
		s.Toolchain = marked[root(s)]
	}
}

// root returns the first of the stages that a stage starts from.
func root(s *stage) *stage {
	for s.from != nil {
		s = s.from
	}
	return s
}

// beginToolchain gives a stage the configuration that golang's images have.
func (s *stage) beginToolchain() {
	s.Tree = s.newTree(nil)
	s.Tree.Below = func() (*tree.Tree, error) { return tree.New(nil), nil }
	s.Tree.Open = true
	s.Env = environment.New(nil)
	s.Env.Unread = s.base
	s.Config.WorkingDir = "/go"
	s.Config.Env = []string{"GOPATH=/go", "PATH=/go/bin:/usr/local/go/bin:" + entrypoint.DefaultPath}
	if s.Windows() {
		s.Config.WorkingDir = `C:\go`
		s.Config.Env = []string{`GOPATH=C:\go`}
	}
}

// addBase puts the files of the base under a toolchain of which something else is copied than it
// has made.
func (b *builder) addBase(ctx context.Context, s *stage, paths []string) error {
	for _, p := range paths {
		p = beforePattern(p)
		at, n, err := tree.Resolve(s.Tree, path.Join("/", tree.Slashed(p)))
		if err != nil {
			return err
		}
		if writers := s.Writers(at, n); len(writers) > 0 {
			if b.declared(s, at, writers) {
				continue
			}
			return b.unknownContent(s, p, at, n, writers)
		}
		if s.baseRead || s.Tree.Later || s.Made(path.Join("/", tree.Slashed(p))) {
			continue
		}
		base, img, err := b.image(ctx, s.base, s.System)
		if err != nil {
			return fmt.Errorf("%s is not made in the stage %s, and is looked for in its base: %w", p, s.title(), err)
		}
		b.refers(s.Location, s.BaseName, base, s.System)
		s.baseRead = true
		if base.Image == nil {
			return nil
		}
		s.baseImage, s.Tree.Below, s.Tree.Open = base, img.files, img.open
	}
	return nil
}

// declared reports whether a file in doubt is taken as the stage itself has put it there: outputs
// of the stage name what commands make that are not carried out, such as make.
func (b *builder) declared(s *stage, p string, writers []*run.Skip) bool {
	named := false
	for name, files := range b.in.Outputs {
		if name == "" || b.find(name) != s {
			continue
		}
		named = true
		for file := range files {
			if tree.Within(path.Join("/", file), p) {
				return false // its command may leave others next to it
			}
		}
	}
	return named && s.Tree.Nodes[p] != nil &&
		!slices.ContainsFunc(writers, func(k *run.Skip) bool { return k.Refusal == nil })
}

// beforePattern returns the directory that a pattern is looked for in, and any other path as it is.
func beforePattern(p string) string {
	if !strings.ContainsAny(p, "*?[") {
		return p
	}
	p, _, _ = strings.Cut(p, "*")
	return path.Dir(p)
}

// tools reports whether a COPY takes tools of another image into the system of a toolchain, such as
// COPY --from=xx / /. Neither the tools nor their image are needed.
func (b *builder) tools(s *stage, c *instructions.CopyCommand) bool {
	if c.From == "" {
		return false
	}
	other := b.find(c.From)
	_, context := b.in.Contexts[c.From]
	dest, err := s.destination(c.DestPath)
	return err == nil && !context && run.SystemPath(dest) &&
		(other == nil || len(other.commands) == 0 && other.from == nil && other.index < s.index)
}

func (s *stage) title() string {
	if s.Name != "" {
		return s.Name
	}
	return fmt.Sprint(s.index)
}

// program notes the programs among the files that the target gets.
func (b *builder) program(s *stage, entries []layer.Entry) {
	if s.Toolchain || b.shipped == nil || !slices.Contains(b.shipped, s) {
		return
	}
	for _, e := range entries {
		if n := s.Tree.Nodes[e.Path]; n != nil {
			if g, ok := n.Made.(*run.GoBuild); ok {
				b.builds = append(b.builds, *g)
			}
		}
	}
}

// unknownContent reports why what a COPY wants of a stage is not known.
func (b *builder) unknownContent(s *stage, wanted, p string, n *tree.Node, writers []*run.Skip) error {
	var refusals []*run.Skip
	for _, k := range writers {
		for _, k := range append(slices.Clone(k.Because), k) {
			if k.Refusal != nil && !slices.Contains(refusals, k) {
				refusals = append(refusals, k)
			}
		}
	}
	if len(refusals) > 0 {
		b.tell(refusals, fmt.Sprintf("%s, which is copied from the stage %s, may be what it writes", wanted, s.title()))
		return run.ErrReported
	}
	k := writers[0]
	for _, other := range writers[1:] {
		if likely(p, other.Text) > likely(p, k.Text) {
			k = other
		}
	}
	if n == nil {
		return fmt.Errorf("%s is not made in the stage %s, and %s in line %d, which may make it, is not run: %s",
			wanted, s.title(), k.Text, mistake.Line(k.At), run.Ways(s.Windows(), "COPY it from a context",
				"use a base that has it, such as one with builtin: static for certificates"))
	}
	return fmt.Errorf("%s of the stage %s may have other files than are known here, since %s in line %d, "+
		"which may write there, is not run: %s", wanted, s.title(), k.Text, mistake.Line(k.At),
		run.Ways(s.Windows(), "copy what the stage itself puts there by the names of the files, "+
			"and take the rest from an image that has it"))
}

// tell reports refusals, each once. why is what they are in the way of; empty for nothing in
// particular.
func (b *builder) tell(skips []*run.Skip, why string) {
	for _, k := range skips {
		if k.Refusal == nil || k.Told {
			continue
		}
		k.Told = true
		for _, e := range output.Split(k.Refusal) {
			if why != "" {
				e = fmt.Errorf("%w (%s)", e, why)
			}
			b.report.Add(k.At, "", e)
		}
	}
}

// likely returns how likely it is that a command makes a file of the system.
func likely(p, text string) int {
	name := path.Base(strings.Fields(text + " x")[0])
	accounts := strings.HasPrefix(name, "user") || strings.HasPrefix(name, "group") || strings.HasPrefix(name, "add")
	switch {
	case strings.Contains(p, "ssl") || strings.Contains(p, "pki") || strings.Contains(p, "cert"):
		if strings.Contains(text, "ca-certificates") || strings.Contains(text, "ca-trust") {
			return 2
		}
	case path.Base(p) == "mime.types" && strings.Contains(text, "mailcap"):
		return 2
	case slices.Contains([]string{"/etc/passwd", "/etc/group", "/etc/shadow"}, p) || tree.Within(p, "/home"):
		if accounts {
			return 2
		}
	}
	if accounts {
		return 0
	}
	return 1
}
