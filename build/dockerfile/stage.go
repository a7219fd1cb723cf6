package dockerfile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/build/base"
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
	state
	baseImage base.Base
	author    string
	starts    bool // it or a stage that it starts from has ENTRYPOINT or CMD
	startAt   []parser.Range
	cmdSet    bool // by a CMD of this stage, which ENTRYPOINT keeps
	completed bool // the base of a toolchain was read
	budget    *budget
	layers    []Layer
	history   []v1.History
	onBuild   []string // triggers of this stage for those that start from it
}

func (s *stage) result() Result {
	return Result{Base: s.baseImage, Config: s.config, Author: s.author, Layers: s.layers, History: s.history}
}

// newTree makes a tree for files of the stage's system.
func (s *stage) newTree(below func() (*tree, error)) *tree {
	t := newTree(below)
	t.budget = s.budget
	if s.windows() {
		t.caseless(true)
	}
	return t
}

// eval evaluates a stage and those it needs. What goes wrong is reported once.
func (b *builder) eval(ctx context.Context, s *stage) {
	if s.evaluated || ctx.Err() != nil || b.archives.budget.over {
		return
	}
	s.evaluated = true
	if !s.failed {
		b.begin(ctx, s)
	}
	broken := s.tree == nil
	defer func() {
		if s.failed {
			b.tell(s.skipped, "")
		}
	}()
	for _, c := range s.commands {
		if run, ok := c.Command.(*instructions.RunCommand); ok && broken {
			b.report.add(c.at, "", foresee(&state{
				system: normalize(b.in.Platform), env: newEnvironment(nil), toolchain: s.toolchain, outputs: b.in.Args,
			}, run))
		}
		if broken || ctx.Err() != nil || b.archives.budget.over {
			continue
		}
		if err := b.run(ctx, s, c); err != nil {
			s.failed = true
			if errors.Is(err, errReported) {
				continue
			}
			for _, e := range output.Split(err) {
				if c.onBuild != "" {
					e = fmt.Errorf("the base has ONBUILD %s: %w", c.onBuild, e)
				}
				b.report.add(c.at, "", e)
			}
		}
	}
}

// begin gives a stage the state after FROM.
func (b *builder) begin(ctx context.Context, s *stage) {
	fail := func(err error) {
		s.failed, s.tree = true, nil
		if !errors.Is(err, errReported) {
			b.report.add(s.Location, s.BaseName, err)
		}
	}
	s.budget = b.archives.budget
	s.system, s.outputs = normalize(b.in.Platform), b.in.Args
	if s.Platform != "" {
		p, err := b.stagePlatform(s)
		if err != nil {
			fail(err)
			return
		}
		s.system = p
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
	if _, ok := newEnvironment(s.config.Env).Get("PATH"); !ok && !s.windows() {
		s.config.Env = append(s.config.Env, "PATH="+defaultPath)
	}
	if s.env == nil {
		s.env = newEnvironment(nil)
	}
	if s.windows() {
		s.env = s.env.withoutCase()
	}
	for _, kv := range s.config.Env {
		k, v, _ := strings.Cut(kv, "=")
		s.env.set(k, v)
	}
	if s.config.WorkingDir != "" {
		if err := s.setWorkdir(s.config.WorkingDir); err != nil {
			fail(err)
		}
	}
}

// defaultPath is what BuildKit gives Linux images that have no PATH; Windows has its own.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

func (b *builder) stagePlatform(s *stage) (platform.Platform, error) {
	v, err := b.word(s.Platform, b.globals)
	if err != nil {
		return platform.Platform{}, errorAt(s.Platform, "%w", err)
	}
	if v == "" {
		return platform.Platform{}, errorAt(s.Platform, "platform %s is empty: give the argument a value", s.Platform)
	}
	p, err := parsePlatform(v, b.in.Platform)
	if err != nil {
		return platform.Platform{}, errorAt(s.Platform, "%w", err)
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
		if s.from.failed || s.from.tree == nil {
			return nil, errReported
		}
		f := s.from
		s.baseImage, s.system, s.author, s.env = f.baseImage, f.system, f.author, f.env.clone()
		s.config = *f.config.DeepCopy()
		s.config.OnBuild = nil
		s.tree = f.tree.clone()
		s.starts, s.startAt = f.starts, f.startAt
		s.skipped, s.completed = slices.Clone(f.skipped), f.completed
		s.args = slices.Clone(f.args)
		s.layers, s.history = slices.Clone(f.layers), slices.Clone(f.history)
		return f.onBuild, nil
	}
	if s.base == "scratch" {
		s.system = normalize(b.in.Platform)
		s.config.WorkingDir = "/"
		s.tree = s.newTree(nil)
		return nil, nil
	}
	if c, ok := b.in.Contexts[s.base]; ok {
		s.config.WorkingDir = "/"
		return nil, b.beginContext(ctx, s, s.base, c)
	}
	if s.toolchain {
		s.beginToolchain()
		return nil, nil
	}
	base, img, err := b.image(ctx, s.base, s.system)
	if err != nil {
		return nil, b.notNamed("", s.base, err)
	}
	b.refers(s.Location, s.BaseName, base, s.system)
	s.baseImage = base
	if base.Image == nil {
		s.config.WorkingDir = "/"
		s.tree = s.newTree(nil)
		return nil, nil
	}
	cf, err := base.Image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("reading its configuration: %w", err)
	}
	s.config, s.author = *cf.Config.DeepCopy(), cf.Author
	triggers := s.config.OnBuild
	s.config.OnBuild = nil
	s.tree = s.newTree(img.files)
	s.tree.open = img.open
	return triggers, nil
}

// beginContext makes the files of a named context the stage's only layer.
func (b *builder) beginContext(ctx context.Context, s *stage, name string, c Context) error {
	src, err := b.openContext(ctx, name, c)
	if err != nil {
		return err
	}
	s.tree = s.newTree(nil)
	cp := copier{src: src, dst: s.tree, windows: s.windows()}
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
