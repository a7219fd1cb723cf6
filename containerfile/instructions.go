package containerfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/shell"
	"github.com/moby/buildkit/util/system"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// run evaluates one instruction, as BuildKit's dockerfile2llb does.
func (b *builder) run(ctx context.Context, s *stage, c command) error {
	written := sources(c.Command)
	if err := b.expand(s, c.Command); err != nil {
		return err
	}
	s.noteCopyOfAll(b, c, written)
	switch c := c.Command.(type) {
	case *instructions.ArgCommand:
		return b.arg(s, c)
	case *instructions.EnvCommand:
		var line []string
		for _, kv := range c.Env {
			s.Env.Set(kv.Key, kv.Value)
			s.Config.Env = s.SetEnv(s.Config.Env, kv.Key, kv.Value)
			line = append(line, kv.String())
		}
		b.record(s, "ENV "+strings.Join(line, " "), false)
	case *instructions.LabelCommand:
		var line []string
		for _, kv := range c.Labels {
			put(&s.Config.Labels, kv.Key, kv.Value)
			line = append(line, kv.String())
		}
		b.record(s, "LABEL "+strings.Join(line, " "), false)
	case *instructions.MaintainerCommand:
		s.author = c.Maintainer
		b.record(s, "MAINTAINER "+c.Maintainer, false)
	case *instructions.WorkdirCommand:
		return b.workdir(s, c)
	case *instructions.RunCommand:
		return b.runLine(ctx, s, c)
	case *instructions.CopyCommand:
		return b.copy(ctx, s, c)
	case *instructions.AddCommand:
		return b.add(ctx, s, c)
	case *instructions.UserCommand:
		s.Config.User, s.userAt = c.User, c.Location()
		b.record(s, "USER "+c.User, false)
	case *instructions.EntrypointCommand:
		if err := s.checkCommandLine(c.ShellDependantCmdLine); err != nil {
			return err
		}
		s.Config.Entrypoint = s.CommandLine(c.ShellDependantCmdLine)
		s.starts, s.startAt = true, c.Location()
		if !s.cmdSet {
			s.Config.Cmd = nil // the base's CMD was for the base's entrypoint
		}
		b.record(s, fmt.Sprintf("ENTRYPOINT %q", s.Config.Entrypoint), false)
	case *instructions.CmdCommand:
		if err := s.checkCommandLine(c.ShellDependantCmdLine); err != nil {
			return err
		}
		s.Config.Cmd = s.CommandLine(c.ShellDependantCmdLine)
		if s.starts = true; len(s.Config.Entrypoint) == 0 {
			s.startAt = c.Location()
		}
		s.Config.ArgsEscaped = true
		s.cmdSet = true
		b.record(s, fmt.Sprintf("CMD %q", s.Config.Cmd), false)
	case *instructions.ExposeCommand:
		return b.expose(s, c)
	case *instructions.VolumeCommand:
		return b.volume(s, c)
	case *instructions.StopSignalCommand:
		if err := checkSignal(c.Signal); err != nil {
			return err
		}
		s.Config.StopSignal = c.Signal
		b.record(s, "STOPSIGNAL "+c.Signal, false)
	case *instructions.ShellCommand:
		s.Config.Shell = c.Shell
		b.record(s, fmt.Sprintf("SHELL %v", c.Shell), false)
	case *instructions.HealthCheckCommand:
		return b.healthcheck(s, c)
	case *instructions.OnbuildCommand:
		s.Config.OnBuild = append(s.Config.OnBuild, c.Expression)
		s.onBuild = append(s.onBuild, c.Expression)
	default:
		return errors.New("this instruction is not supported")
	}
	return nil
}

// expand puts the values of variables into an instruction.
func (b *builder) expand(s *stage, c instructions.Command) error {
	if _, isArg := c.(*instructions.ArgCommand); isArg {
		return nil // its default may not be needed
	}
	if e, ok := c.(*instructions.EnvCommand); ok && len(e.Env) == 1 && e.Env[0].Key == "PATH" {
		defer func(unread string) { s.Env.Unread = unread }(s.Env.Unread)
		s.Env.Unread = "" // no program is looked for
	}
	if ex, ok := c.(instructions.SupportsSingleWordExpansion); ok {
		err := ex.Expand(func(word string) (string, error) {
			return b.word(word, s.Env)
		})
		if err != nil {
			return err
		}
	}
	if ex, ok := c.(instructions.SupportsSingleWordExpansionRaw); ok { // heredocs
		return ex.ExpandRaw(func(word string) (string, error) {
			lex := shell.NewLex('\\')
			lex.SkipProcessQuotes = true
			v, missing, err := lex.ProcessWord(word, s.Env)
			for _, name := range slices.Sorted(maps.Keys(missing)) {
				err = cmp.Or(err, s.Env.Known(name))
			}
			return v, err
		})
	}
	return nil
}

func (b *builder) arg(s *stage, c *instructions.ArgCommand) error {
	var line []string
	for _, a := range c.Args {
		if v, ok := b.in.Args[a.Key]; ok {
			a.Value = &v
		} else if a.Value != nil {
			v, err := b.word(*a.Value, s.Env)
			if err != nil {
				return err
			}
			a.Value = &v
		} else if v, ok := b.globals.Get(a.Key); ok {
			a.Value = &v
		}
		if !slices.Contains(s.Args, a.Key) {
			s.Args = append(s.Args, a.Key)
		}
		if a.Value == nil {
			s.Env.Declare(a.Key)
			line = append(line, a.Key)
			continue
		}
		s.Env.Set(a.Key, *a.Value)
		line = append(line, a.Key+"="+*a.Value)
	}
	b.record(s, "ARG "+strings.Join(line, " "), false)
	return nil
}

// checkCommandLine refuses a list that is not JSON, since a path in it has single backslashes: cmd,
// which gets it as a line, cannot run it.
func (s *stage) checkCommandLine(c instructions.ShellDependantCmdLine) error {
	line := strings.TrimSpace(strings.Join(c.CmdLine, " "))
	list := strings.HasPrefix(line, "[") && strings.HasPrefix(strings.TrimSpace(line[1:]), `"`) &&
		strings.HasSuffix(line, "]")
	if s.Windows() && c.PrependShell && list {
		return mistake.At("[",
			`%s is not a list in JSON, and cmd cannot run it: write each backslash twice, as in "C:\\run.exe"`, line)
	}
	return nil
}

// setWorkdir changes the working directory in the configuration: on Windows with backslashes and
// without a drive, as HCS reads it.
func (s *stage) setWorkdir(p string) error {
	wd, err := system.NormalizeWorkdir(s.Config.WorkingDir, p, s.System.OS)
	if err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	s.Config.WorkingDir = wd
	return nil
}

func (b *builder) workdir(s *stage, c *instructions.WorkdirCommand) error {
	if err := s.setWorkdir(c.Path); err != nil {
		return err
	}
	p, there, err := tree.Resolve(s.Tree, s.Dir())
	if err != nil {
		return err
	}
	if there == nil {
		dir := &tree.Node{Kind: layer.Dir, Mode: 0o755}
		if s.Config.User != "" && !s.Windows() {
			o, err := tree.LookUp(s.Tree, s.Config.User)
			if err != nil {
				return fmt.Errorf("the directory shall belong to USER %s: %w", s.Config.User, err)
			}
			dir.UID, dir.GID = o.UID, o.GID
		}
		if err := s.Tree.MkdirAll(p, dir); err != nil {
			return err
		}
	} else if there.Kind != layer.Dir {
		return fmt.Errorf("%s is not a directory", p)
	}
	return b.commit(s, "WORKDIR "+s.Dir())
}

func (b *builder) volume(s *stage, c *instructions.VolumeCommand) error {
	for _, v := range c.Volumes {
		if v == "" {
			return errors.New("the name of a volume is empty")
		}
		put(&s.Config.Volumes, v, struct{}{})
	}
	b.record(s, fmt.Sprintf("VOLUME %v", c.Volumes), false)
	return nil
}

func (b *builder) healthcheck(s *stage, c *instructions.HealthCheckCommand) error {
	h := c.Health
	if h.StartInterval != 0 {
		return errors.New("--start-interval has no place in the configuration that is written here: leave it out")
	}
	s.Config.Healthcheck = &v1.HealthConfig{
		Test: h.Test, Interval: h.Interval, Timeout: h.Timeout,
		StartPeriod: h.StartPeriod, Retries: h.Retries,
	}
	b.record(s, fmt.Sprintf("HEALTHCHECK %q", h.Test), false)
	return nil
}

func (b *builder) runLine(ctx context.Context, s *stage, c *instructions.RunCommand) error {
	e := run.Evaluation{
		BasesLater: b.check && !b.in.Snapshot, Platform: normalize(b.in.Platform),
		Compiler: run.Compiler{Check: b.in.Compiler.Check, File: b.compiled},
		Archives: b.archives, Fetch: b.downloaded, Note: b.notes.Add,
		Files: func(ctx context.Context, from, source string) (tree.Files, error) {
			if from == "" {
				return b.buildContext(ctx)
			}
			f, _, err := b.source(ctx, s, from, source)
			return f, err
		},
	}
	history, err := e.Line(ctx, &s.State, c)
	if err != nil {
		return err
	}
	return b.commit(s, history)
}

var variableIn = lazyregexp.New(`\$\{?([A-Za-z_][A-Za-z0-9_]*)`)

func sources(c instructions.Command) []string {
	switch c := c.(type) {
	case *instructions.CopyCommand:
		return slices.Clone(c.SourcePaths)
	case *instructions.AddCommand:
		return slices.Clone(c.SourcePaths)
	}
	return nil
}

// noteCopyOfAll notes a COPY that copies the complete context or stage, as BuildKit does, since a
// variable in its source is empty: COPY /$FILES /.
func (s *stage) noteCopyOfAll(b *builder, c command, written []string) {
	for n, now := range sources(c.Command) {
		before := written[n]
		if now == before || path.Clean("/"+tree.Slashed(now)) != "/" {
			continue
		}
		if v := variableIn.FindStringSubmatch(before); v != nil {
			b.copiesAll.Add(c.at,
				before,
				fmt.Errorf("%s copies everything that is there, since %s has no value: "+
					"give %s a value under args in slipway.yaml, or write / if that is meant", before, v[1], v[1]))
		}
	}
}
