// Package git asks git about the repository that a directory belongs to. Only this package runs
// git, and no setting of a repository can start a program through it.
//
// Settings of a repository name programs: core.fsmonitor, filter.*.clean, hooks, helpers, and more
// with each version of git. So git never reads them. [locate] finds the repository as git would,
// and git works in a view of it: a temporary repository with the same refs, objects and index, and
// with a configuration that is written here. That has the few settings that decide which files
// differ and how they end their lines, from the user and from the repository, and no others. The
// settings of the user start no programs either: third-party .gitattributes choose among them.
//
// Nothing here changes a repository, except that [Checkout] makes one.
package git

import (
	"context"
	"fmt"
	"strings"
	"time"
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

// Find returns the repository of a directory.
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

// Version returns the version of git: "git version 2.47.3".
func Version(ctx context.Context) (string, error) {
	return command(ctx, "", clean(nil), "", "version")
}
