// Package git asks git about the repository that a directory belongs to.
//
// A repository has settings that start programs. Those of the product are as trusted as
// slipway.yaml; before another project's is asked anything, [Check] looks at its settings. Nothing
// here changes a repository.
package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/subprocess"
)

// Repository is the repository of a directory.
type Repository struct {
	Root    string // of the work tree: absolute, without symbolic links
	Shallow bool   // a part of the history is missing, and with it possibly tags
}

// Commit is a commit with its committer's time, in UTC.
type Commit struct {
	Hash string // 40 hexadecimal digits, or 64
	Time time.Time
}

// Short is the hash as people write it: 12 digits.
func (c Commit) Short() string { return c.Hash[:min(12, len(c.Hash))] }

// Find returns the repository of a directory. The error is git's: there is none, or it belongs to
// another user.
func Find(ctx context.Context, dir string) (Repository, error) {
	out, err := run(ctx, dir, "rev-parse", "--is-shallow-repository", "--show-toplevel")
	if err != nil {
		return Repository{}, err
	}
	shallow, root, _ := strings.Cut(out, "\n")
	return Repository{Root: root, Shallow: shallow == "true"}, nil
}

// Head returns the commit that is checked out in a directory.
func Head(ctx context.Context, dir string) (Commit, error) {
	out, err := run(ctx, dir, "log", "-1", "--no-show-signature", "--format=%H %cI")
	if err != nil {
		return Commit{}, err
	}
	hash, date, _ := strings.Cut(out, " ")
	t, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return Commit{}, fmt.Errorf("git log: %w", err)
	}
	return Commit{Hash: hash, Time: t.UTC()}, nil
}

// ofOthers are the variables that a hook of another repository exports, as git rev-parse
// --local-env-vars lists them. Those for settings stay: users set them.
var ofOthers = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE",
	"GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
}

// run runs git in a directory and returns what it prints, without the last line break. An error
// has git's message on one line.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := subprocess.Command(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(ofOthers, name)
	})
	cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0") // git status does not renew the index
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		said := strings.Join(strings.Fields(string(exit.Stderr)), " ")
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimPrefix(said, "fatal: "))
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimRight(string(out), "\r\n"), nil
}

// Version returns the version of git: "git version 2.47.3".
func Version(ctx context.Context) (string, error) { return run(ctx, "", "version") }
