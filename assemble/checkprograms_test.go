package assemble_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
)

// mixedProduct is a product with an image that a Dockerfile fills from files/, and a
// Go program with data files.
const mixedProduct = `apiVersion: slipway/v1
name: mixed
version: 1.0.0
platforms: [linux/amd64, "windows/amd64:10.0.25398", "windows/amd64:ltsc2019", "windows/amd64:10.0.19042.1889", "windows/amd64:ltsc2025", "windows/amd64:ltsc2022"]
sources:
  - {name: src, directory: ., revision: abc, created: 2025-01-01T00:00:00Z}
programs:
  - {name: tool, source: src, package: ./cmd/tool}
images:
  - {name: files, source: src, dockerfile: {file: Dockerfile, context: files}}
  - {name: tool, platforms: [linux/amd64, "windows/amd64:ltsc2022"], bases: {linux: scratch, windows: scratch}, go: {program: tool}}
release:
  templates: [{path: config}]
`

// mixed writes the product with additional files to a directory.
func mixed(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{
		"slipway.yaml": mixedProduct, "Dockerfile": "FROM scratch\nCOPY . /app/\n", "config/empty.yaml": "",
		"files/text": "text\n",
		"go.mod":     "module example.com/tool\n\ngo 1.24\n", "cmd/tool/main.go": "package main\n\nfunc main() {}\n",
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// elf and pe return headers of programs for a machine.
func elf(machine uint16) string {
	b := make([]byte, 64)
	copy(b, "\x7fELF\x02\x01\x01")
	binary.LittleEndian.PutUint16(b[16:], 2)
	binary.LittleEndian.PutUint16(b[18:], machine)
	return string(b)
}

func pe(machine uint16) string {
	b := make([]byte, 512)
	copy(b, "MZ")
	b[0x3c] = 128
	copy(b[128:], "PE\x00\x00")
	binary.LittleEndian.PutUint16(b[132:], machine)
	binary.LittleEndian.PutUint16(b[152:], 0x20b)
	b[220] = 3
	return string(b)
}

const (
	elfAMD64, elfARM64 = 62, 183
	peAMD64, peARM64   = 0x8664, 0xaa64
)

// TestProgramsFit checks that a program for another operating system or architecture
// fails the build in every kind of image, and that the error names it.
func TestProgramsFit(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files map[string]string
		says  map[string]int
	}{
		{
			"PE on Linux",
			map[string]string{"files/bin/run.exe": pe(peAMD64)},
			map[string]int{"building image files: linux/amd64: COPY . /app/: " +
				"/app/bin/run.exe: it is a PE program for " +
				"windows/amd64, and the image is for linux/amd64: ": 1, "image is for windows": 0},
		},
		{
			"ELF on Windows",
			map[string]string{"files/run": elf(elfAMD64)},
			map[string]int{
				"building image files: windows/amd64": 1,
				"/app/run: it is an ELF program for linux/amd64, " +
					"and the image is for windows/amd64": 1, "allowOtherPlatforms": 1,
			},
		},
		{
			"other machines",
			map[string]string{"files/run.exe": pe(peARM64), "files/run": elf(elfARM64)},
			map[string]int{
				"a PE program for windows/arm64, and the image is for windows/amd64": 1,
				"an ELF program for linux/arm64, and the image is for linux/amd64":   1,
			},
		},
		{
			"many",
			map[string]string{
				"files/1": elf(elfARM64), "files/2": elf(elfARM64), "files/3": elf(elfARM64), "files/4": elf(elfARM64),
				"files/5": elf(elfARM64), "files/6": elf(elfARM64), "files/7": elf(elfARM64),
			},
			map[string]int{
				"/app/5: it is an ELF program for linux/arm64, and the image is for linux/amd64": 1,
				"/app/6: ": 0, "and 2 more programs that do not fit": 2,
			},
		},
		{
			"data of a Go program",
			map[string]string{"cmd/tool/kodata/helper": elf(elfARM64)},
			map[string]int{"building image tool: linux/amd64: kodata: " +
				"/var/run/ko/helper: it is an ELF program for linux/arm64": 1, "building image files": 0},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l, err := assemble.Build(t.Context(), load(t, mixed(t, tc.files)), assemble.Options{Store: storetest.Open(t)})
			if err == nil {
				t.Fatalf("it is built: %+v", l)
			}
			for s, want := range tc.says {
				if n := strings.Count(err.Error(), s); n != want {
					t.Errorf("the error says %q %d times, want %d:\n%v", s, n, want, err)
				}
			}
		})
	}
}

// TestOtherSystem checks that the last stage's base must match the image's platform. FROM
// --platform there would put Linux files into a Windows image, or another Windows build
// than the image declares. Other stages may use any platform.
func TestOtherSystem(t *testing.T) {
	for _, tc := range []struct{ from, says string }{
		{
			"FROM --platform=linux/amd64 static",
			"windows/amd64:ltsc2022: the image is for windows/amd64:ltsc2022 and its base for linux/amd64: ",
		},
		{
			"FROM --platform=windows/amd64:ltsc2022 nanoserver",
			"linux/amd64: the image is for linux/amd64 and its base for windows/amd64:10.0.20348.1: ",
		},
		{
			"FROM --platform=windows/amd64:ltsc2022 nanoserver",
			"windows/amd64:ltsc2019: the image is for windows/amd64:ltsc2019 and its base for " +
				"windows/amd64:10.0.20348.1: ",
		},
		{"FROM --platform=linux/amd64 static AS other\nFROM scratch\nCOPY --from=other /etc/passwd /etc/", ""},
	} {
		t.Run(tc.from, func(t *testing.T) {
			dir := mixed(t, map[string]string{"Dockerfile": tc.from + "\nCOPY text /app/\n"})
			replace(t, filepath.Join(dir, "slipway.yaml"), "programs:\n", `bases:
  - {name: static, builtin: static}
  - {name: nanoserver, images: {"windows/amd64:ltsc2022": "example.com/nanoserver:1", "windows/amd64:ltsc2019": "example.com/nanoserver:2"}}
programs:
`)
			_, err := assemble.Build(t.Context(), load(t, dir), assemble.Options{Store: storetest.Open(t)})
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("the error is %v, want %q", err, tc.says)
			}
		})
	}
}

// TestAllowOtherPlatforms checks that an image may contain the programs for other platforms that
// slipway.yaml names, and no others.
func TestAllowOtherPlatforms(t *testing.T) {
	dir := mixed(t, map[string]string{
		"files/downloads/arm64/run.exe": pe(peARM64), "files/tools/run": elf(elfAMD64),
		"files/tools/run.exe": pe(peAMD64),
	})
	at := filepath.Join(dir, "slipway.yaml")
	replace(t, at, "{name: files, source: src,",
		"{name: files, source: src, allowOtherPlatforms: [/app/downloads, '/app/*/run', '/app/*/run.exe'],")
	result(t, load(t, dir), storetest.Open(t))
	replace(t, at, "[/app/downloads, '/app/*/run',", "[")
	_, err := assemble.Build(t.Context(), load(t, dir), assemble.Options{Store: storetest.Open(t)})
	if err == nil || !strings.Contains(err.Error(), "/app/tools/run: it is an ELF") || !strings.Contains(err.Error(),
		"/app/downloads/arm64/run.exe: ") || strings.Contains(err.Error(), "tools/run.exe") {
		t.Errorf("the error is %v", err)
	}
}

// TestExplicitBuilds checks that an index can list any Windows builds along with those
// that have names, newest first and each complete.
func TestExplicitBuilds(t *testing.T) {
	p, st := load(t, mixed(t, nil)), storetest.Open(t)
	i, ok := result(t, p, st).Image("files")
	if !ok {
		t.Fatal("there is no image")
	}
	var got []string
	for _, d := range children(t, st, i) {
		cf, err := d.Image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if on := (platform.Platform{
			OS: cf.OS, Architecture: cf.Architecture,
			OSVersion: cf.OSVersion,
		}); on != platform.From(d.Platform) {
			t.Errorf("the configuration is for %s, the descriptor for %s", on, d.Platform)
		}
		got = append(got, platform.From(d.Platform).String())
	}
	want := []string{
		"linux/amd64", "windows/amd64:10.0.26100.1", "windows/amd64:10.0.25398.1", "windows/amd64:10.0.20348.1",
		"windows/amd64:10.0.19042.1889", "windows/amd64:10.0.17763.1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the children are %q, want %q", got, want)
	}
}
