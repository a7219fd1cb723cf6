package containerfile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/entrypoint"
	"github.com/slipway-dev/slipway/image/environment"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
)

// stage is one FROM with what follows, and its state while it is evaluated.
type stage struct {
	instructions.Stage
	index    int
	base     string // BaseName with its variables expanded
	from     *stage // the earlier stage it starts from, or nil
	commands []command

	failed    bool // its errors have been reported
	evaluated bool
	run.State
	baseImage base.Base
	author    string
	starts    bool // it or a stage that it starts from has ENTRYPOINT or CMD
	startAt   []parser.Range
	userAt    []parser.Range // of USER
	cmdSet    bool           // by a CMD of this stage, which ENTRYPOINT keeps
	baseRead  bool           // the base of a toolchain was read
	compared  bool           // with the programs that take its place
	budget    *tree.Budget
	layers    []Layer
	history   []v1.History
	onBuild   []string // triggers of this stage for those that start from it
}

func (s *stage) result() Result {
	return Result{Base: s.baseImage, Config: s.Config, Author: s.author, Layers: s.layers, History: s.history}
}

// newTree makes a tree for files of the stage's system.
func (s *stage) newTree(below func() (*tree.Tree, error)) *tree.Tree {
	t := tree.New(below)
	t.Budget = s.budget
	if s.Windows() {
		t.Caseless(true)
	}
	return t
}

// eval evaluates a stage and those it needs. What goes wrong is reported once.
func (b *builder) eval(ctx context.Context, s *stage) {
	if s.evaluated || ctx.Err() != nil || b.archives.Budget.Over {
		return
	}
	s.evaluated = true
	if !s.failed {
		b.begin(ctx, s)
	}
	broken := s.Tree == nil
	defer func() {
		if s.failed {
			b.tell(s.Skipped, "")
		}
	}()
	for _, c := range s.commands {
		if line, ok := c.Command.(*instructions.RunCommand); ok && broken {
			b.report.Add(c.at, "", run.Foresee(&run.State{
				System: normalize(b.in.Platform), Env: environment.New(nil), Toolchain: s.Toolchain,
				Outputs: b.in.Args,
			}, line))
		}
		if broken || ctx.Err() != nil || b.archives.Budget.Over {
			continue
		}
		if err := b.run(ctx, s, c); err != nil {
			s.failed = true
			if errors.Is(err, run.ErrReported) {
				continue
			}
			for _, e := range output.Split(err) {
				if c.onBuild != "" {
					e = fmt.Errorf("the base has ONBUILD %s: %w", c.onBuild, e)
				}
				b.report.Add(c.at, "", e)
			}
		}
	}
}

// begin gives a stage the state after FROM.
func (b *builder) begin(ctx context.Context, s *stage) {
	fail := func(err error) {
		s.failed, s.Tree = true, nil
		if !errors.Is(err, run.ErrReported) {
			b.report.Add(s.Location, s.BaseName, err)
		}
	}
	s.budget = b.archives.Budget
	s.System, s.Outputs = normalize(b.in.Platform), b.in.Args
	if s.Platform != "" {
		p, err := b.stagePlatform(s)
		if err != nil {
			fail(err)
			return
		}
		s.System = p
	}
	triggers, err := b.beginFrom(ctx, s)
	if err != nil {
		fail(err)
		return
	}
	if len(triggers) > 0 {
		if err := s.prepend(triggers); err != nil {
			fail(err)
			return
		}
	}
	if _, ok := environment.New(s.Config.Env).Get("PATH"); !ok && !s.Windows() {
		s.Config.Env = append(s.Config.Env, "PATH="+entrypoint.DefaultPath)
	}
	if s.Env == nil {
		s.Env = environment.New(nil)
	}
	if s.Windows() {
		s.Env = s.Env.WithoutCase()
	}
	for _, kv := range s.Config.Env {
		k, v, _ := strings.Cut(kv, "=")
		s.Env.Set(k, v)
	}
	if s.Config.WorkingDir != "" {
		if err := s.setWorkdir(s.Config.WorkingDir); err != nil {
			fail(err)
		}
	}
}

func (b *builder) stagePlatform(s *stage) (platform.Platform, error) {
	v, err := b.word(s.Platform, b.globals)
	if err != nil {
		return platform.Platform{}, mistake.At(s.Platform, "%w", err)
	}
	if v == "" {
		return platform.Platform{}, mistake.At(s.Platform, "platform %s is empty: give the argument a value",
			s.Platform)
	}
	p, err := parsePlatform(v, b.in.Platform)
	if err != nil {
		return platform.Platform{}, mistake.At(s.Platform, "%w", err)
	}
	return p, nil
}

// beginFrom sets what comes from the base and returns its ONBUILD triggers.
func (b *builder) beginFrom(ctx context.Context, s *stage) ([]string, error) {
	if c, ok := b.in.Contexts[s.Name]; ok && s.Name != "" {
		// a named context replaces a stage of its name
		return nil, b.beginContext(ctx, s, s.Name, c)
	}
	if s.from != nil {
		b.eval(ctx, s.from)
		if s.from.failed || s.from.Tree == nil {
			return nil, run.ErrReported
		}
		f := s.from
		s.baseImage, s.System, s.author, s.Env = f.baseImage, f.System, f.author, f.Env.Clone()
		s.Config = *f.Config.DeepCopy()
		s.Config.OnBuild = nil
		s.Tree = f.Tree.Clone()
		s.starts, s.startAt, s.userAt = f.starts, f.startAt, f.userAt
		s.Skipped, s.baseRead = slices.Clone(f.Skipped), f.baseRead
		s.Args = slices.Clone(f.Args)
		s.layers, s.history = slices.Clone(f.layers), slices.Clone(f.history)
		return f.onBuild, nil
	}
	if s.base == "scratch" {
		s.System = normalize(b.in.Platform)
		s.Config.WorkingDir = "/"
		s.Tree = s.newTree(nil)
		return nil, nil
	}
	if c, ok := b.in.Contexts[s.base]; ok {
		s.Config.WorkingDir = "/"
		return nil, b.beginContext(ctx, s, s.base, c)
	}
	if s.Toolchain {
		s.beginToolchain()
		return nil, nil
	}
	base, img, err := b.image(ctx, s.base, s.System)
	if err != nil {
		return nil, b.notNamed("", s.base, err)
	}
	b.refers(s.Location, s.BaseName, base, s.System)
	s.baseImage = base
	if base.Image == nil {
		s.Config.WorkingDir = "/"
		s.Tree = s.newTree(nil)
		return nil, nil
	}
	cf, err := base.Image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("reading its configuration: %w", err)
	}
	s.Config, s.author = *cf.Config.DeepCopy(), cf.Author
	triggers := s.Config.OnBuild
	s.Config.OnBuild = nil
	s.Tree = s.newTree(img.files)
	s.Tree.Open = img.open
	return triggers, nil
}

// beginContext makes the files of a named context the stage's only layer.
func (b *builder) beginContext(ctx context.Context, s *stage, name string, c Context) error {
	src, err := b.openContext(ctx, name, c)
	if err != nil {
		return err
	}
	s.Tree = s.newTree(nil)
	cp := copier{src: src, dst: s.Tree, windows: s.Windows()}
	if err := cp.copy(ctx, "/", "/"); err != nil {
		return err
	}
	return b.commit(s, "FROM "+name)
}

// prepend puts the ONBUILD triggers of a base before the stage's instructions.
func (s *stage) prepend(triggers []string) error {
	var commands []command
	for _, t := range triggers {
		ast, err := parser.Parse(strings.NewReader(t))
		if err != nil {
			return fmt.Errorf("its ONBUILD %s: %w", t, err)
		}
		for _, n := range ast.AST.Children {
			c, err := instructions.ParseCommand(n)
			if err != nil {
				return fmt.Errorf("its ONBUILD %s: %w", t, err)
			}
			commands = append(commands, command{Command: c, at: s.Location, onBuild: t})
		}
	}
	s.commands = append(commands, s.commands...)
	return nil
}

// commit closes a layer: what changed in the tree since the last one, and a record in the
// history.
func (b *builder) commit(s *stage, createdBy string) error {
	list, err := s.Tree.Entries(s.Windows())
	if err != nil {
		return err
	}
	if !b.check && !s.Toolchain {
		if err := s.Tree.Fill(list); err != nil {
			return err
		}
	}
	if err := layer.Check(list.All, s.System.OS); err != nil {
		return err
	}
	b.program(s, list.All)
	s.Tree.Begin()
	b.record(s, createdBy, len(list.All) > 0)
	if len(list.All) > 0 {
		s.layers = append(s.layers, Layer{Entries: list.All, CreatedBy: createdBy, unread: list})
	}
	return nil
}

// record adds a line to the history.
func (b *builder) record(s *stage, createdBy string, withLayer bool) {
	s.history = append(s.history, v1.History{
		Created: v1.Time{Time: b.in.ModTime.UTC()}, CreatedBy: createdBy, Comment: "slipway", EmptyLayer: !withLayer,
	})
}
