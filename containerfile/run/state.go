package run

import (
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/util/system"

	"github.com/slipway-dev/slipway/image/environment"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/platform"
)

// State is what a RUN reads and changes of the stage that it is in.
type State struct {
	Tree      *tree.Tree
	Env       *environment.Variables // ENV and ARG
	Config    v1.Config
	System    platform.Platform // what the stage is for
	Args      []string          // the names of ARG, in their order
	Outputs   map[string]string // of commands, by $(command)
	guess     bool              // a RUN was refused, and so what is in the tree is not certain
	Toolchain bool              // it compiles programs: see toolchain.go
	Skipped   []*Skip           // commands of a toolchain that were passed over
}

// Windows reports whether the stage is for Windows.
func (s *State) Windows() bool { return s.System.OS == platform.Windows }

// Dir returns the working directory as a path of the tree.
func (s *State) Dir() string {
	if s.Config.WorkingDir == "" {
		return "/"
	}
	return system.ToSlash(s.Config.WorkingDir, s.System.OS)
}

// SetEnv sets a variable in a configuration's list, in its old place where it has one, and on
// Windows with its old spelling.
func (s *State) SetEnv(env []string, key, value string) []string {
	for i, e := range env {
		if k, _, _ := strings.Cut(e, "="); k == key || s.Windows() && strings.EqualFold(k, key) {
			env[i] = k + "=" + value
			return env
		}
	}
	return append(env, key+"="+value)
}

// CommandLine returns the exec form of CMD and ENTRYPOINT; the shell form goes to the stage's
// shell.
func (s *State) CommandLine(c instructions.ShellDependantCmdLine) []string {
	if !c.PrependShell {
		return c.CmdLine
	}
	shell := []string{"/bin/sh", "-c"}
	switch {
	case len(s.Config.Shell) > 0:
		shell = slices.Clone(s.Config.Shell)
	case s.Windows():
		shell = []string{"cmd", "/S", "/C"}
	}
	return append(shell, strings.Join(c.CmdLine, " "))
}
