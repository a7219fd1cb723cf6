package airgap_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
)

// TestGroupsShellTogether loads a release whose only bundles are of several groups, which no ONLY
// can name, and fails where nothing of it is chosen.
func TestGroupsShellTogether(t *testing.T) {
	st, l, targets := grouped(t, "linux/amd64")
	targets = []airgap.Target{{Name: "both", Platform: targets[0].Platform, Groups: []string{"core", "more"}}}
	dir := t.TempDir()
	files, _, err := airgap.Pack(t.Context(), st, l, targets, airgap.PackOptions{Dir: dir, Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	all, err := airgap.Scripts("demo", "1.2.3", targets, files)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	checkShell(t, string(all[0].Data))
	bin := t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(dir, "load-images.sh"): string(all[0].Data),
		filepath.Join(dir, "SHA256SUMS"):     files[0].SHA256 + "  both.tar.zst\n",
		filepath.Join(bin, "uname"):          "#!/bin/sh\necho x86_64\n",
		filepath.Join(bin, "ctr"):            "#!/bin/sh\ncat >/dev/null\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := func(env string) (string, error) {
		cmd := exec.Command("sh", filepath.Join(dir, "load-images.sh"))
		cmd.Env = append(os.Environ(), "SNAPSHOT=yes", "PATH="+bin+":"+os.Getenv("PATH"), env)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("LABELS=yes"); err != nil || !strings.Contains(out, "importing both.tar.zst") ||
		strings.Contains(out, "done: 0 images") {
		t.Errorf("the bundle of both groups is not loaded: %v\n%s", err, out)
	}
	for only, want := range map[string]string{
		"":     "ONLY is set and empty",
		" ":    "has no bundle for linux/amd64: copy one of both.tar.zst here",
		"core": "the release has no bundle of group core alone",
	} {
		if out, err := run("ONLY=" + only); err == nil || !strings.Contains(out, want) {
			t.Errorf("ONLY=%s: %v\n%s", only, err, out)
		}
	}
	if strings.Contains(string(all[0].Data), "# place of that") {
		t.Error("the help has an ONLY that can name nothing")
	}
}

// TestGroupsPowerShell checks the scripts for Windows of releases with bundles of one group each, a
// sparse one among them, and of several groups alone.
func TestGroupsPowerShell(t *testing.T) {
	st, l, targets := grouped(t, "windows/amd64:ltsc2025")
	for name, c := range map[string]struct {
		targets    []airgap.Target
		want, lack []string
	}{
		"each": {targets, []string{
			"\nThe groups of this node: core more. ", "        Base         = 'core.tar.zst'", "        Lacking      = @(\r\n            'sha256:",
			"if (-not $Only -and $bundle.Build -ne", "if (-not $Only -and -not (Test-Complete))", "{ Assert-Base -Sparse $_; Import-Bundle",
		}, nil},
		"together": {
			[]airgap.Target{{Name: "both", Platform: targets[0].Platform, Groups: []string{"core", "more"}}},
			[]string{"    [ValidateNotNullOrEmpty()][string[]]$Only,", "'both.tar.zst'", "{ Assert-Base -Sparse $_; Import-Bundle"},
			[]string{".PARAMETER Only", "-not $Only -and"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files, _, err := airgap.Pack(t.Context(), st, l, c.targets, airgap.PackOptions{Dir: t.TempDir(), Partial: true})
			if err != nil {
				t.Fatal(err)
			}
			all, err := airgap.Scripts("demo", "1.2.3", c.targets, files)
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			text := string(all[0].Data)
			checkPowerShell(t, text, "26100")
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("the script lacks %q", want)
				}
			}
			for _, bad := range c.lack {
				if strings.Contains(text, bad) {
					t.Errorf("the script has %q", bad)
				}
			}
			if strings.Index(text, "'sparse.tar.zst'") < strings.Index(text, "'more.tar.zst'") {
				t.Error("the sparse bundle precedes a complete one")
			}
		})
	}
}
