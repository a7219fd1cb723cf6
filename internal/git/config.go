package git

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// harmless are the settings of a repository that git clone, submodules and people make, and that
// start no program. Others do: core.fsmonitor and filter.*.clean already where git status runs.
var harmless = regexp.MustCompile(`^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|worktree|autocrlf|eol)` +
	`|remote\..*\.(url|pushurl|fetch|push|tagopt|prune|partialclonefilter|promisor)|branch\..*\.(remote|merge|rebase)|submodule\..*\.(url|active)|submodule\.active` +
	`|user\.(name|email)|init\.defaultbranch|gc\.auto|extensions\.(objectformat|partialclone))$`)

// Check returns an error where git would obey another project's repository more than it should be:
// its configuration may come with an archive. No program is started to find that out.
func Check(ctx context.Context, dir string) error {
	out, err := run(ctx, dir, "config", "--local", "--no-includes", "--name-only", "--list")
	if err != nil {
		return err
	}
	for name := range strings.Lines(out) {
		if name = strings.TrimSpace(name); !harmless.MatchString(name) {
			return fmt.Errorf("its git repository sets %q, which may run commands on this machine", name)
		}
	}
	return nil
}
