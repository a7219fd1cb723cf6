package dockerfile

import (
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/util/system"

	"github.com/slipway-dev/slipway/platform"
)

// state is what a RUN reads and changes of the stage that it is in.
type state struct {
	tree      *tree
	env       *environment // ENV and ARG
	config    v1.Config
	system    platform.Platform // what the stage is for
	args      []string          // the names of ARG, in their order
	outputs   map[string]string // of commands, by $(command)
	guess     bool              // a RUN was refused, and so what is in the tree is not certain
	toolchain bool              // it compiles programs: see toolchain.go
	skipped   []*skip           // commands of a toolchain that were passed over
}

func (s *state) windows() bool { return s.system.OS == platform.Windows }

// dir returns the working directory as a path of the tree.
func (s *state) dir() string {
	if s.config.WorkingDir == "" {
		return "/"
	}
	return system.ToSlash(s.config.WorkingDir, s.system.OS)
}

// setEnv sets a variable in a configuration's list, in its old place where it has one, and on
// Windows with its old spelling.
func (s *state) setEnv(env []string, key, value string) []string {
	for i, e := range env {
		if k, _, _ := strings.Cut(e, "="); k == key || s.windows() && strings.EqualFold(k, key) {
			env[i] = k + "=" + value
			return env
		}
	}
	return append(env, key+"="+value)
}

// commandLine returns the exec form of CMD and ENTRYPOINT; the shell form goes to the stage's
// shell.
func (s *state) commandLine(c instructions.ShellDependantCmdLine) []string {
	if !c.PrependShell {
		return c.CmdLine
	}
	shell := []string{"/bin/sh", "-c"}
	switch {
	case len(s.config.Shell) > 0:
		shell = slices.Clone(s.config.Shell)
	case s.windows():
		shell = []string{"cmd", "/S", "/C"}
	}
	return append(shell, strings.Join(c.CmdLine, " "))
}
