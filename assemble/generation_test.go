package assemble_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestProgramGeneration: a Go program that was compiled for a newer ARM than its image names
// fails the build.
func TestProgramGeneration(t *testing.T) {
	for name, tc := range map[string]struct {
		env      string
		platform string
		want     string
	}{
		"as amd64":       {"GOARCH=amd64 GOAMD64=v1", "linux/amd64", ""},
		"newer amd64":    {"GOARCH=amd64 GOAMD64=v3", "linux/amd64", ""},
		"as arm":         {"GOARCH=arm GOARM=7", "linux/arm/v7", ""},
		"an older arm":   {"GOARCH=arm GOARM=6", "linux/arm/v7", ""},
		"newer than arm": {"GOARCH=arm GOARM=7", "linux/arm/v6", "GOARM=7, and the image is for linux/arm/v6"},
		"32 bits": {
			"GOARCH=arm GOARM=7", "linux/arm64",
			"it is an ELF program for linux/arm, and the image is for linux/arm64",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "as amd64" {
				extent.Long(t, "it compiles Go's library for another processor")
			}
			dir := mixed(t, map[string]string{"made/main.go": "package main\n\nfunc main() {}\n"})
			cmd := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "files", "run"), "./made")
			cmd.Dir = dir
			cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux"), strings.Fields(tc.env)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			replace(t, filepath.Join(dir, "slipway.yaml"), `platforms: [linux/amd64, "windows/amd64:10.0.25398", `+
				`"windows/amd64:ltsc2019", "windows/amd64:10.0.19042.1889", "windows/amd64:ltsc2025", "windows/amd64:ltsc2022"]`,
				"platforms: ["+tc.platform+"]")
			replace(t, filepath.Join(dir, "slipway.yaml"), "- {name: tool, platforms: [linux/amd64, "+
				`"windows/amd64:ltsc2022"], bases: {linux: scratch, windows: scratch}, go: {program: tool}}`,
				"- {name: tool, bases: {linux: scratch}, go: {program: tool}}")
			_, err := assemble.Build(t.Context(), load(t, dir), assemble.Options{Store: storetest.Open(t)})
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want %q", err, tc.want)
			}
		})
	}
}
