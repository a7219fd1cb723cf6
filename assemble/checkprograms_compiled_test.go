package assemble_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestCompiledProgramsFit checks that a build fails if a program is compiled for the
// image's platform but the result is for another. The go command gets the platform last,
// so only a tool that wraps the linker by flags can cause this.
func TestCompiledProgramsFit(t *testing.T) {
	for _, image := range []struct {
		name  string
		files map[string]string
		where map[string]string // by operating system
	}{
		{"go", nil, map[string]string{
			"linux":   "building image tool: linux/amd64: /ko-app/tool: ",
			"windows": "building image tool: windows/amd64:ltsc2022: /ko-app/tool.exe: ",
		}},
		{"lifecycle", small, map[string]string{
			"linux":   "building image lifecycle: /cnb/lifecycle/launcher: ",
			"windows": "building image lifecycle: /cnb/lifecycle/launcher.exe: ",
		}},
	} {
		for _, tc := range []struct{ name, os, program, what string }{
			{
				"PE on Linux", "linux", pe(peAMD64),
				"it is a PE program for windows/amd64, and the image is for linux/amd64",
			},
			{
				"another machine on Linux", "linux",
				elf(elfARM64), "it is an ELF program for linux/arm64, and the image is for linux/amd64",
			},
			{
				"ELF on Windows", "windows", elf(elfAMD64),
				"it is an ELF program for linux/amd64, and the image is for windows/amd64",
			},
			{
				"another machine on Windows", "windows",
				pe(peARM64), "it is a PE program for windows/arm64, and the image is for windows/amd64",
			},
		} {
			t.Run(image.name+", "+tc.name, func(t *testing.T) {
				dir := mixed(t, image.files)
				relink(t, dir, tc.os, tc.program)
				want := image.where[tc.os] + tc.what + ": take the file that was built for it, " +
					"or name this one under allowOtherPlatforms if the image only contains it"
				if first, ok := strings.CutPrefix(want, "building image lifecycle: "); ok { // it has two programs
					want += "\n" + strings.Replace(first, "/launcher", "/lifecycle", 1)
				}
				l, err := assemble.Build(t.Context(), load(t, dir), assemble.Options{Store: storetest.Open(t)})
				if err == nil ||
					err.Error() != want {
					t.Errorf("the error is\n%v, want\n%s\n(%+v)", err, want, l)
				}
			})
		}
	}
}

// relink configures a product so that a given program replaces the linker's
// output for an operating system.
func relink(t *testing.T, dir, system, program string) {
	t.Helper()
	at := t.TempDir()
	script := `#!/bin/sh
"$@" || exit
case $GOOS,$1 in ` + system + `,*/link)
	while test $# -gt 1; do
		if test "$1" = -o; then cp "` + at + `/program" "$2"; fi
		shift
	done
esac
`
	for name, text := range map[string]string{"program": program, "tool": script} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	replace(t, filepath.Join(dir, "slipway.yaml"), "directory: .,", "directory: ., flags: ['-toolexec="+at+"/tool'],")
}
