package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// imports has a program in C that calls a function of netapi32.dll, and one in Go that only has
// the DLL's name.
const imports = `apiVersion: slipway/v1
name: imports
version: 1.0.0
platforms: ["windows/amd64:ltsc2022"]
sources: [{name: here, directory: src, revision: abc, created: 2025-01-01T00:00:00Z}]
programs:
  - {name: plain, source: here, package: .}
images:
  - {name: c, source: here, dockerfile: {file: c.Dockerfile, context: .}}
  - {name: go, source: here, dockerfile: {file: go.Dockerfile, context: .}}
`

// TestMissingDLL builds images of a C and a Go program on nanoserver: from its table in a snapshot,
// and from its files on a registry. Only the C program needs a DLL that nanoserver lacks.
func TestMissingDLL(t *testing.T) {
	testprog.Need(t, "mingw")
	p := &product{dir: t.TempDir(), out: t.TempDir(), store: t.TempDir()}
	host := registryHost(t)
	system := map[string]string{"/Windows/System32/kernel32.dll": "k", "/Windows/System32/msvcrt.dll": "m"}
	nano := push(t, host+"/windows/nanoserver:ltsc2022", []string{"windows/amd64:10.0.20348.4711"}, system)
	for name, text := range map[string]string{
		"slipway.yaml": imports,
		"c.c":          "#include <windows.h>\n#include <lm.h>\nint main(void) { return NetApiBufferFree(0); }\n",
		"c.Dockerfile": "FROM " + nano + "\nCOPY c.exe /c.exe\nENTRYPOINT [\"/c.exe\"]\n",
		"go.Dockerfile": "FROM " +
			nano + "\nCOPY --from=binaries windows_amd64/plain.exe /plain.exe\nENTRYPOINT [\"/plain.exe\"]\n",
		"src/go.mod":  "module example.com/plain\n\ngo 1.24\n",
		"src/main.go": "package main\n\nimport \"os/user\"\n\nfunc main() { _, _ = user.Lookup(\"me\") }\n",
	} {
		file := filepath.Join(p.dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(text), 0o644))
	}
	gcc := exec.CommandContext(t.Context(), "x86_64-w64-mingw32-gcc", "-o", "c.exe", "c.c", "-lnetapi32")
	gcc.Dir = p.dir
	if out, err := gcc.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	finding := strings.ToLower("NETAPI32.dll, which /c.exe imports, " +
		"is not in nanoserver:ltsc2022: copy it from servercore")

	log, err := p.run(t.Context(), t, "stage", "build")
	if low := strings.ToLower(log); err != nil || strings.Count(low, finding) != 1 ||
		!strings.Contains(low, "warning: image c for ") || strings.Contains(log, "plain.exe") {
		t.Errorf("a snapshot says (%v):\n%s", err, log)
	}
	log, err = p.run(t.Context(), t, "stage", "build", "-registry="+host+"/out")
	if err == nil || strings.Count(strings.ToLower(log), "c.dockerfile:3:1: "+finding) != 1 ||
		strings.Contains(log, "plain.exe") {
		t.Errorf("a release says (%v):\n%s", err, log)
	}
	p.replace(t, "slipway.yaml", "{name: c, source: here,", "{name: c, source: here, allowLibraries: [netapi32.dll],")
	if log, err = p.run(t.Context(), t, "stage", "build", "-registry="+host+"/out"); err != nil ||
		strings.Contains(strings.ToLower(log), "netapi32") {
		t.Errorf("where it is allowed, a release says (%v):\n%s", err, log)
	}
}
