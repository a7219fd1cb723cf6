// Package run carries out the RUN of a Dockerfile where its commands only change files, and runs
// nothing. A stage that the image only copies from may have go build: its programs are compiled by
// the [Compiler], and the rest of such a stage that is not known is passed over.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/script"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/output"
)

// Line carries out a RUN whose commands only change files, runs nothing, and returns the line of
// the history. The effect of any other command is unknown without a machine of the image's
// system.
func (e *Evaluation) Line(ctx context.Context, s *State, c *instructions.RunCommand) (history string, err error) {
	h := dryRun{ctx: ctx, eval: e, s: s, line: c}
	commands, line, err := s.readRun(c, h.files())
	if err != nil && e.unread(s, err) {
		s.guess, s.Tree.Open, s.Tree.Later = true, true, true // what the line would make is not all known
		return "RUN " + text(c), nil
	}
	if err == nil && s.Toolchain {
		err = s.refuseLine()
	} else if err == nil {
		err = s.refuse(commands)
	}
	if err != nil && s.Toolchain {
		s.skipLine(c, text(c), s.locate(err), h.skipped())
		return "RUN " + text(c), nil
	}
	if err != nil {
		s.guess = true
		return "", cmp.Or(s.locate(withoutFiles(err)), ErrReported)
	}
	r := newRunner(ctx, e, s, c)
	r.commands = commands
	s.Tree.Before = s.Tree.Clone()
	err = r.mount(c)
	if err == nil {
		err = r.all()
	}
	s.Tree.Mounts = nil
	if err != nil {
		known := !s.guess
		s.guess = true
		switch {
		case errors.Is(err, errLater), errors.Is(err, errUnknown) && e.later(s):
			s.Tree.Open, s.Tree.Later = true, true // what the line would make is not all known
		case known:
			return "", err
		default:
			return "", ErrReported // of an earlier RUN
		}
	}
	return s.history(line), nil
}

// history returns the text of the history for a line.
func (s *State) history(line []string) string {
	return "RUN " + strings.Join(append(s.arguments(), line...), " ") + " # buildkit"
}

// arguments are what BuildKit writes of ARG before a command: their number and values.
func (s *State) arguments() []string {
	if len(s.Args) == 0 {
		return nil
	}
	words := []string{fmt.Sprintf("|%d", len(s.Args))}
	for _, k := range s.Args {
		v, _ := s.Env.Get(k)
		words = append(words, k+"="+v)
	}
	return words
}

// locate turns the errors of package script into those of this one.
func (s *State) locate(err error) error {
	var errs []error
	for _, e := range output.Split(err) {
		var at *script.Error
		if errors.As(e, &at) && !errors.As(at.Err, &mistake.Located{}) {
			e = mistake.At(at.At, "RUN is only carried out where it does nothing but change files: %w; or %s",
				at.Err, s.ways())
		}
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

func text(c *instructions.RunCommand) string {
	all := strings.Join(c.CmdLine, " ")
	for _, f := range c.Files {
		all += "\n" + f.Data
	}
	return all
}

// readRun returns the commands of a RUN, and what runs in BuildKit, shell included.
func (s *State) readRun(c *instructions.RunCommand, files script.Files) ([]script.Command, []string, error) {
	for _, f := range c.FlagsUsed {
		if f == "mount" || f == "network" {
			continue
		}
		return nil, nil, mistake.At("--"+f, "RUN --%s is not supported, since no command is run: %s", f, s.ways())
	}
	if !c.PrependShell {
		return s.readList(c.CmdLine, files)
	}
	text := strings.Join(c.CmdLine, " ")
	if len(c.Files) > 0 {
		switch doc := parser.MustParseHeredoc(text); {
		case doc == nil || len(c.Files) != 1: // the shell reads them
			for _, f := range c.Files {
				text += "\n" + f.Data + f.Name
			}
		case strings.HasPrefix(c.Files[0].Data, "#!"):
			return nil, nil, mistake.At("<<", "RUN with a script of its own interpreter is not supported: "+
				"%s", s.ways("write the commands themselves, or COPY the file"))
		default:
			text = c.Files[0].Data
			if doc.Chomp {
				text = parser.ChompHeredocContent(text)
			}
		}
	}
	return s.readShell(s.CommandLine(instructions.ShellDependantCmdLine{CmdLine: []string{text}, PrependShell: true}),
		files)
}

// variable returns the value of a variable, or the output of a command that args have.
func (s *State) variable(name string) (string, bool, error) {
	if strings.HasPrefix(name, "$(") {
		v, ok := s.Outputs[name]
		return v, ok, nil
	}
	v, ok := s.Env.Get(name)
	return v, ok, s.Env.Known(name)
}

// readList reads the exec form, which may call a shell itself.
func (s *State) readList(line []string, files script.Files) ([]script.Command, []string, error) {
	if len(line) == 0 {
		return nil, nil, errors.New("RUN has no command: leave it out")
	}
	name := line[0]
	if s.Windows() {
		name = strings.ToLower(name)
	}
	switch {
	case len(line) > 2 && (strings.HasPrefix(line[1], "-") && strings.HasSuffix(name, "sh") ||
		strings.HasPrefix(line[1], "/") && strings.HasPrefix(path.Base(tree.Slashed(name)), "cmd")):
		return s.readShell(line, files)
	case s.Windows() && name != "setx" && name != "setx.exe" ||
		!s.Windows() && (name == "cd" || name == ":" || name == "set"):
		if _, ok := s.command(name); ok {
			return nil, nil, mistake.At(line[0],
				"RUN %s is a command of the shell, which a list does not start: write it without brackets", line[0])
		}
	}
	return []script.Command{script.Words(line)}, line, nil
}

// readShell reads what a shell is started with; the last word is the script.
func (s *State) readShell(sh []string, files script.Files) ([]script.Command, []string, error) {
	text := sh[len(sh)-1]
	name := strings.TrimSuffix(strings.ToLower(path.Base(tree.Slashed(sh[0]))), ".exe")
	flags := sh[1 : len(sh)-1]
	switch {
	case s.Windows() && name == "cmd" && !slices.ContainsFunc(flags, func(f string) bool {
		return !strings.EqualFold(f, "/S") && !strings.EqualFold(f, "/C")
	}):
		commands, err := script.Cmd(text, s.windowsEnv)
		return commands, sh, err
	case !s.Windows() && slices.Contains([]string{"sh", "ash", "dash", "bash"}, name) && slices.Contains(flags, "-c"):
		o := script.Options{Env: s.variable, Files: files, Bash: name == "bash"}
		for i, f := range flags {
			if f == "-o" || i > 0 && flags[i-1] == "-o" && f == "pipefail" {
				continue
			}
			if len(f) < 2 || f[0] != '-' || strings.Trim(f[1:], "cexu") != "" {
				return nil, nil, fmt.Errorf("RUN with the option %s of SHELL is not supported: %s", f, s.ways())
			}
			o.Strict, o.Exit = o.Strict || strings.Contains(f, "u"), o.Exit || strings.Contains(f, "e")
		}
		commands, err := script.Shell(text, o)
		return commands, sh, err
	}
	if why := elsewhere(name, text); why != "" {
		return nil, nil, mistake.At(sh[0], "RUN with the shell %s: no command is run here: %s", sh[0], s.ways(why))
	}
	return nil, nil, fmt.Errorf("RUN with the shell %s is not supported: %s", sh[0],
		s.ways("write SHELL ["+s.plainShell()+"] above it for commands that only change files"))
}

// Foresee reports the commands that are certain to be refused in a stage whose base is unknown.
func Foresee(s *State, c *instructions.RunCommand) error {
	commands, _, err := s.readRun(c, (&dryRun{s: s}).files())
	if err != nil {
		return s.locate(withoutFiles(err))
	}
	return s.refuse(commands)
}

func (s *State) plainShell() string {
	if s.Windows() {
		return `"cmd", "/S", "/C"`
	}
	return `"/bin/sh", "-c"`
}
