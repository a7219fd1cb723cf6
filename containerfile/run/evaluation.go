package run

import (
	"context"
	"errors"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/util/system"

	"github.com/slipway-dev/slipway/image/environment"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/platform"
)

// ErrReported is a failure whose cause is in the report.
var ErrReported = errors.New("reported")

// Evaluation is what a RUN needs of the evaluation of its file.
type Evaluation struct {
	BasesLater bool              // a release reads the bases whose files a check does not have
	Platform   platform.Platform // of the image
	Compiler   Compiler
	Archives   *tree.Archives
	// files returns those of a stage, a context or an image, for a mount; the build context where
	// from is empty.
	Files func(ctx context.Context, from, source string) (tree.Files, error)
	// Fetch downloads a file; in a check it returns the digest alone.
	Fetch func(ctx context.Context, url string, digest v1.Hash) (layer.Content, error)
	Note  func(at []parser.Range, word string, err error) // on what a snapshot cannot do
}

// State is what a RUN reads and changes of the stage that it is in.
type State struct {
	Tree      *tree.Tree
	Env       *environment.Variables // ENV and ARG
	Config    v1.Config
	System    platform.Platform // what the stage is for
	Args      []string          // the names of ARG, in their order
	Outputs   map[string]string // of commands, by $(command)
	guess     bool              // a RUN was refused, and so the tree is not certain
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
