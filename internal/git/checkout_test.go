package git_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/git"
)

// TestAsCommitted checks that a checkout has the files of the commit, whatever the settings of the
// user, of the system and of the repository, and the files that git reads without a setting say.
func TestAsCommitted(t *testing.T) {
	dir := repository(t)
	if err := os.Symlink("main.go", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("a\nb\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "second")
	hash := run(t, dir, "rev-parse", "HEAD")
	home := t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const crlf = "* text eol=crlf\n"
	attributes := put("other", crlf)
	settings := put("settings", "[core]\n\tautocrlf = true\n\teol = crlf\n\tsymlinks = false\n\tsparseCheckout = true\n"+
		"\tattributesFile = "+attributes+"\n")
	put(".config/git/attributes", crlf)
	put("git/attributes", crlf)
	t.Setenv("HOME", home)
	for _, set := range []map[string]string{
		{},
		{"XDG_CONFIG_HOME": home},
		{"GIT_CONFIG_GLOBAL": settings},
		{"GIT_CONFIG_SYSTEM": settings},
		{"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.symlinks", "GIT_CONFIG_VALUE_0": "false"},
		{"GIT_CONFIG_PARAMETERS": "'core.attributesFile'='" + attributes + "'"},
	} {
		t.Run(strings.Join(slices.Sorted(maps.Keys(set)), " "), func(t *testing.T) {
			for k, v := range set {
				t.Setenv(k, v)
			}
			for _, from := range []string{dir, "file://" + dir} {
				to := filepath.Join(t.TempDir(), "checkout")
				if err := git.Checkout(t.Context(), from, to, hash); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(filepath.Join(to, "main.go"))
				if link, wrong := os.Readlink(filepath.Join(to, "link")); err != nil || wrong != nil || link != "main.go" ||
					string(text) != "a\nb\n" {
					t.Errorf("%v from %s: main.go is %q and link %q, %v, %v", set, from, text, link, err, wrong)
				}
			}
		})
	}
}
