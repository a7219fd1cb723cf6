package git_test

import (
	"testing"

	"github.com/slipway-dev/slipway/internal/git"
)

// TestRemote reads the remotes as people write them: the upstream's comes first.
func TestRemote(t *testing.T) {
	for address, want := range map[string]string{
		"https://github.com/example/app.git":      "github.com/example/app",
		"git@github.com:example/app.git":          "github.com/example/app",
		"ssh://git@gitlab.example:2222/a/b/c.git": "gitlab.example/a/b/c",
		"https://user:secret@github.com/a/b":      "github.com/a/b",
		"/srv/git/app.git":                        "",
		"":                                        "",
	} {
		dir := t.TempDir()
		run(t, dir, "init", "-q")
		if address != "" {
			run(t, dir, "config", "remote.origin.url", address)
		}
		if got, err := git.Remote(t.Context(), dir); err != nil || got != want {
			t.Errorf("%s is %q (%v), not %q", address, got, err, want)
		}
		run(t, dir, "config", "remote.upstream.url", "https://github.com/first/app")
		if got, err := git.Remote(t.Context(), dir); err != nil || got != "github.com/first/app" {
			t.Errorf("with an upstream it is %q (%v)", got, err)
		}
	}
	if got, err := git.Remote(t.Context(), t.TempDir()); err == nil {
		t.Errorf("a directory that is no repository has the remote %q", got)
	}
}
