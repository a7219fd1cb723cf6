package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/once"
	"github.com/slipway-dev/slipway/internal/regular"
)

// standard are the variables that are asked for together: a release needs each of them, in several
// places.
var standard = []string{"GOVERSION", "GOROOT", "GOMODCACHE", "GOHOSTOS", "GOHOSTARCH", "GOMOD"}

// answers are what go env has printed, by all that it depends on: the environment, the directory
// and the go.mod there, which may choose a toolchain.
var answers once.Map[[]string]

// Variables returns what go env prints of variables, in their order. goCommand makes a go command
// of arguments, and what the variables are is for messages. The go command is asked once for what
// it can only answer in the same way.
func Variables(goCommand func(args ...string) *exec.Cmd, what string, names ...string) ([]string, error) {
	asked := names
	if !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(standard, n) }) {
		asked = standard
	}
	cmd := goCommand(slices.Concat([]string{"env"}, asked)...)
	gomod, err := nearest(cmd.Dir)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%q\n%q\n%q\n%s", cmd.Dir, cmd.Args, cmd.Env, gomod)
	all, err := answers.Succeed(key, func() ([]string, error) {
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("asking the go command for %s: %w", what, Explain(err))
		}
		values := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		if len(values) != len(asked) {
			return nil, fmt.Errorf("the go command answers %q to go env %s", out, strings.Join(asked, " "))
		}
		return values, nil
	})
	if err != nil {
		return nil, err
	}
	var found []string
	for _, n := range names {
		found = append(found, all[slices.Index(asked, n)])
	}
	return found, nil
}

// nearest returns the text of the go.mod that the go command finds from a directory on; "" for
// none.
func nearest(dir string) (string, error) {
	for ; ; dir = filepath.Dir(dir) {
		text, err := regular.Read(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil:
			return filepath.Join(dir, "go.mod") + "\n" + string(text), nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		case filepath.Dir(dir) == dir:
			return "", nil
		}
	}
}
