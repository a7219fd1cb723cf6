package containerfile_test

import (
	"context"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/internal/testing/programtest"
	"github.com/slipway-dev/slipway/platform"
)

// The bases of the library tests: a Windows system, one for HostProcess containers, and Linux
// systems with glibc and musl.
const (
	nanoserver = `layer
file 644 0:0 Windows/System32/kernel32.dll "base"
file 644 0:0 Windows/System32/ADVAPI32.dll "base"
file 644 0:0 Windows/WinSxS/amd64_vc90/msvcr90.dll "base"
`
	hostprocess = "layer\nfile 644 0:0 License.txt \"text\"\n"
	glibc       = `layer
link lib64 usr/lib64
file 755 0:0 usr/lib64/ld-linux-x86-64.so.2 "base"
file 755 0:0 usr/lib/x86_64-linux-gnu/libc.so.6 "base"
file 755 0:0 opt/vendor/libvendor.so "base"
`
	glibc64 = "layer\nlink lib64 usr/lib64\nfile 755 0:0 usr/lib64/ld-linux-x86-64.so.2 \"base\"\nfile " +
		"755 0:0 usr/lib64/libc.so.6 \"base\"\n"
	musl = "layer\nfile 755 0:0 lib/ld-musl-x86_64.so.1 \"base\"\n"
)

type needs = programtest.Needs

// evaluated builds a Dockerfile on the bases above with programs in its context, each by its
// file name.
func evaluated(t *testing.T, on, text string, files map[string][]byte, stub bool) containerfile.Result {
	t.Helper()
	a := txtar.Parse([]byte("-- Dockerfile --\n" + text + "\n-- context/text --\ntext\n"))
	for name, b := range files {
		a.Files = append(a.Files, txtar.File{Name: "context/" + name, Data: b})
	}
	for name, spec := range map[string]string{
		"nanoserver": nanoserver,
		"servercore": nanoserver + "file 644 0:0 Windows/System32/netapi32.dll \"base\"\n", "hostprocess": hostprocess,
		"glibc": glibc, "glibc64": glibc64, "musl": musl,
	} {
		a.Files = append(a.Files, txtar.File{Name: "images/" + name, Data: []byte(spec)})
	}
	c := dockerfiletest.Load(t, a)
	of := c.Input.Base
	c.Input.Base = func(ctx context.Context, name string, p platform.Platform) (base.Base, error) {
		b, err := of(ctx, name, p)
		if err == nil {
			b.Info = &base.Info{
				Name:   "mcr.example.com/windows/" + name + "@sha256:" + strings.Repeat("a", 64),
				Digest: v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("a", 64)}, Stub: stub,
			}
		}
		return b, err
	}
	var err error
	c.Input.Platform, err = platform.Parse(on)
	must(t, err)
	r, err := build(t, c.Input)
	must(t, err)
	return r
}

// TestDLLs checks what is reported of the DLLs that Windows programs import, on bases whose files
// are known and on stub bases.
func TestDLLs(t *testing.T) {
	const on = "windows/amd64:ltsc2022"
	imports := func(names ...string) []byte { return programtest.PE(needs{Libraries: names}) }
	dll := func(names ...string) []byte { return programtest.PE(needs{Library: true, Libraries: names}) }
	start := "\nENTRYPOINT [\"/app/a.exe\"]"
	for _, tc := range []struct {
		name, on, lines string
		files           map[string][]byte
		allow           []string
		says            string   // the error where the base is known
		notes           []string // parts of the notes, in their order
		stub            []string // of the notes on a stub base
	}{
		{
			name: "what the base has", lines: "FROM nanoserver\nCOPY a.exe /app/" + start,
			files: map[string][]byte{"a.exe": imports("KERNEL32.dll", "advapi32.dll")},
		},
		{
			name: "missing", lines: "FROM nanoserver\nCOPY a.exe /app/" + start,
			files: map[string][]byte{"a.exe": imports("kernel32.dll", "NETAPI32.dll")},
			says: "3:1: NETAPI32.dll, which /app/a.exe imports, is not in nanoserver:ltsc2022: " +
				"copy it from servercore of the same release (COPY --from), or use servercore as the base, " +
				"or name it under allowLibraries",
			stub: []string{"NETAPI32.dll, which /app/a.exe imports, is not in nanoserver:ltsc2022"},
		},
		{
			name: "missing, and not in the table", lines: "FROM nanoserver\nCOPY a.exe /app/" + start,
			files: map[string][]byte{"a.exe": imports("gdi32.dll")},
			says:  "gdi32.dll, which /app/a.exe imports, is not in nanoserver:ltsc2022",
		},
		{
			name: "in the table of another release", on: "windows/amd64:ltsc2025",
			lines: "FROM nanoserver\nCOPY a.exe /app/" + start,
			files: map[string][]byte{"a.exe": imports("netapi32.dll")}, says: "is not in nanoserver:ltsc2025",
		},
		{
			name: "allowed", lines: "FROM nanoserver\nCOPY a.exe /app/" + start,
			files: map[string][]byte{"a.exe": imports("NetAPI32.dll")}, allow: []string{"netapi*.DLL"},
		},
		{
			name: "copied",
			lines: "FROM nanoserver\nCOPY a.exe /app/\nCOPY --from=servercore " +
				"/Windows/System32/netapi32.dll /windows/system32/" + start,
			files: map[string][]byte{"a.exe": imports("netapi32.dll")},
		},
		{
			name: "on another base", lines: "FROM servercore\nCOPY a.exe /app/" + start,
			files: map[string][]byte{"a.exe": imports("netapi32.dll")},
		},
		{
			name: "beside the program", lines: "FROM nanoserver\nCOPY a.exe x.dll /app/" + start,
			files: map[string][]byte{"a.exe": imports("X.DLL"), "x.dll": dll("kernel32.dll")},
		},
		{
			name: "in PATH", lines: "FROM nanoserver\nENV Path=C:\\\\libs\nCOPY a.exe /app/\nCOPY x.dll /libs/" + start,
			files: map[string][]byte{"a.exe": imports("x.dll"), "x.dll": dll()},
		},
		{
			name: "elsewhere", lines: "FROM nanoserver\nCOPY a.exe /app/\nCOPY x.dll /libs/" + start,
			files: map[string][]byte{"a.exe": imports("x.dll"), "x.dll": dll()},
			says:  "x.dll, which /app/a.exe imports",
		},
		{
			name: "of a DLL", lines: "FROM nanoserver\nCOPY a.exe x.dll /app/" + start,
			files: map[string][]byte{"a.exe": imports("x.dll"), "x.dll": dll("netapi32.dll")},
			says:  "netapi32.dll, which /app/x.dll imports", stub: []string{"netapi32.dll, which /app/x.dll imports"},
		},
		{
			name: "of a DLL that nothing imports", lines: "FROM nanoserver\nCOPY a.exe x.dll /app/" + start,
			files: map[string][]byte{"a.exe": imports(), "x.dll": dll("netapi32.dll")},
		},
		{
			name: "delayed", lines: "FROM nanoserver\nCOPY a.exe /app/" + start,
			files: map[string][]byte{"a.exe": programtest.PE(needs{Delayed: []string{"netapi32.dll"}})},
			notes: []string{"netapi32.dll, which /app/a.exe imports"}, stub: []string{"netapi32.dll, which"},
		},
		{
			name: "of another program", lines: "FROM nanoserver\nCOPY a.exe b.exe /app/" + start,
			files: map[string][]byte{"a.exe": imports(), "b.exe": imports("netapi32.dll")},
			notes: []string{"netapi32.dll, which /app/b.exe"}, stub: []string{"netapi32.dll, which /app/b.exe"},
		},
		{
			name: "API sets", lines: "FROM nanoserver\nCOPY a.exe /app/" + start,
			files: map[string][]byte{"a.exe": imports("api-ms-win-core-com-l1-1-0.dll", "ext-ms-win-x-l1-1-0.dll")},
		},
		{
			name: "side by side", lines: "FROM nanoserver\nCOPY a.exe /app/" + start,
			files: map[string][]byte{"a.exe": imports("MSVCR90.dll")},
		},
		{
			name: "HostProcess", lines: "FROM hostprocess\nCOPY a.exe /app/" + start,
			files: map[string][]byte{"a.exe": imports("netapi32.dll")},
		},
		{
			name: "scratch", lines: "FROM scratch\nCOPY a.exe /app/" + start,
			files: map[string][]byte{"a.exe": imports("netapi32.dll")},
		},
		{
			name: "not copied by a name",
			lines: "FROM nanoserver\nCOPY a.exe /app/\nCOPY --from=servercore " +
				"/Windows/System32/net*.dll /windows/system32/" + start,
			files: map[string][]byte{"a.exe": imports("netapi32.dll")},
		},
		{
			name: "unused", lines: "FROM nanoserver\nCOPY a.exe /app/\nCOPY x.dll /Windows/System32/" + start,
			files: map[string][]byte{"a.exe": imports(), "x.dll": dll()},
			notes: []string{"/Windows/System32/x.dll is copied into the image, " +
				"and nothing there imports or names it: remove the COPY"},
		},
		{
			name: "loaded by name", lines: "FROM nanoserver\nCOPY a.exe /app/\nCOPY x.dll /Windows/System32/" + start,
			files: map[string][]byte{
				"a.exe": programtest.PE(needs{Text: "\x00\x00X\x00.\x00d\x00l\x00l\x00\x00\x00"}),
				"x.dll": dll(),
			},
		},
		{
			name: "unused and allowed", lines: "FROM nanoserver\nCOPY a.exe /app/\nCOPY x.dll /Windows/System32/" + start,
			files: map[string][]byte{"a.exe": imports(), "x.dll": dll()}, allow: []string{"x.dll"},
		},
		{
			name: "unused by what the base starts", lines: "FROM nanoserver\nCOPY x.dll /Windows/System32/",
			files: map[string][]byte{"x.dll": dll()},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.on == "" {
				tc.on = on
			}
			notes, err := evaluated(t, tc.on, tc.lines, tc.files, false).CheckLibraries(true, tc.allow)
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("the error is %v, want %q", err, tc.says)
			}
			matchNotes(t, notes, tc.notes)
			notes, err = evaluated(t, tc.on, tc.lines, tc.files, true).CheckLibraries(false, tc.allow)
			if err != nil {
				t.Errorf("on a stub base: %v", err)
			}
			matchNotes(t, notes, tc.stub)
		})
	}
}

func matchNotes(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("the notes are %q, want %q", got, want)
		return
	}
	for n := range got {
		if !strings.Contains(got[n], want[n]) {
			t.Errorf("note %d is %q, want %q", n, got[n], want[n])
		}
	}
}

// TestSharedLibraries checks what is reported of the libraries that Linux programs need.
func TestSharedLibraries(t *testing.T) {
	const loader, muslLoader = "/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1"
	program := func(names ...string) []byte { return programtest.ELF(needs{Interpreter: loader, Libraries: names}) }
	library := func(names ...string) []byte { return programtest.ELF(needs{Libraries: names}) }
	start := "\nENTRYPOINT [\"/app/a\"]"
	for _, tc := range []struct {
		name, lines string
		files       map[string][]byte
		allow       []string
		says        string
		notes       []string
	}{
		{
			name: "what the base has", lines: "FROM glibc\nCOPY a /app/" + start,
			files: map[string][]byte{"a": program("libc.so.6", "ld-linux-x86-64.so.2")},
		},
		{
			name: "missing", lines: "FROM glibc\nCOPY a /app/" + start,
			files: map[string][]byte{"a": program("libc.so.6", "libz.so.1")},
			says: "3:1: libz.so.1, which /app/a needs, is not in the image: copy it from an image that has it, " +
				"or link the program statically (CGO_ENABLED=0 in Go), or name it under allowLibraries",
		},
		{
			name: "allowed", lines: "FROM glibc\nCOPY a /app/" + start,
			files: map[string][]byte{"a": program("libcuda.so.1")}, allow: []string{"libcuda.so.*"},
		},
		{
			name: "copied", lines: "FROM glibc\nCOPY a /app/\nCOPY libz.so.1 /usr/lib/" + start,
			files: map[string][]byte{"a": program("libz.so.1"), "libz.so.1": library("libc.so.6")},
		},
		{
			name: "of a library", lines: "FROM glibc\nCOPY a /app/\nCOPY libz.so.1 /usr/lib/" + start,
			files: map[string][]byte{"a": program("libz.so.1"), "libz.so.1": library("libm.so.6")},
			says:  "libm.so.6, which /usr/lib/libz.so.1 needs",
		},
		{
			name: "by RUNPATH", lines: "FROM glibc\nCOPY a /app/\nCOPY libz.so.1 /lib/own/" + start,
			files: map[string][]byte{"a": programtest.ELF(needs{
				Interpreter: loader, Libraries: []string{"libz.so.1"},
				Runpath: "$ORIGIN/../lib/own",
			}), "libz.so.1": library()},
		},
		{
			name:  "by LD_LIBRARY_PATH",
			lines: "FROM glibc\nENV LD_LIBRARY_PATH=/x:/own\nCOPY a /app/\nCOPY libz.so.1 /own/" + start,
			files: map[string][]byte{"a": program("libz.so.1"), "libz.so.1": library()},
		},
		{
			name: "in another directory", lines: "FROM glibc\nCOPY a libz.so.1 /app/" + start,
			files: map[string][]byte{"a": program("libz.so.1"), "libz.so.1": library()},
			notes: []string{"libz.so.1, which /app/a needs, is in /app, where the loader does not look: " +
				"add that directory to LD_LIBRARY_PATH"},
		},
		{
			name:  "by ld.so.conf, which only ldconfig reads",
			lines: "FROM glibc\nCOPY text /etc/ld.so.conf.d/app.conf\nCOPY a libz.so.1 /app/" + start,
			files: map[string][]byte{"a": program("libz.so.1"), "libz.so.1": library()},
			notes: []string{"libz.so.1, which /app/a needs, is in /app, where the loader does not look"},
		},
		{
			name:  "in /usr/local/lib, which only its cache names",
			lines: "FROM glibc\nCOPY a /app/\nCOPY libz.so.1 /usr/local/lib/" + start,
			files: map[string][]byte{"a": program("libz.so.1"), "libz.so.1": library()},
			notes: []string{"libz.so.1, which /app/a needs, is in /usr/local/lib, where the loader does not look: " +
				"add that directory to LD_LIBRARY_PATH with ENV, or copy the library to /usr/lib"},
		},
		{
			name:  "in /usr/lib of a distribution that has /usr/lib64",
			lines: "FROM glibc64\nCOPY a /app/\nCOPY libz.so.1 /usr/lib/" + start,
			files: map[string][]byte{"a": program("libz.so.1"), "libz.so.1": library()},
			notes: []string{"or copy the library to /usr/lib64"},
		},
		{
			name:  "in /usr/lib64 of a distribution that has it",
			lines: "FROM glibc64\nCOPY a /app/\nCOPY libz.so.1 /usr/lib64/" + start,
			files: map[string][]byte{"a": program("libz.so.1"), "libz.so.1": library()},
		},
		{
			name:  "of a library that does not inherit RUNPATH",
			lines: "FROM glibc\nCOPY a /app/\nCOPY liba.so libb.so /app/lib/" + start,
			files: map[string][]byte{"a": programtest.ELF(needs{
				Interpreter: loader, Libraries: []string{"liba.so"},
				Runpath: "$ORIGIN/lib",
			}), "liba.so": library("libb.so"), "libb.so": library()},
			notes: []string{"libb.so, which /app/lib/liba.so needs, is in /app/lib, where the loader does not look"},
		},
		{
			name: "by a cache", lines: "FROM glibc\nCOPY text /etc/ld.so.cache\nCOPY a libz.so.1 /app/" + start,
			files: map[string][]byte{"a": program("libz.so.1"), "libz.so.1": library()},
		},
		{
			name: "moved by RUN", lines: "FROM glibc\nCOPY a libz.so.1 /app/\nRUN mv /app/libz.so.1 /usr/lib/" + start,
			files: map[string][]byte{"a": program("libz.so.1"), "libz.so.1": library()},
		},
		{
			name:  "removed by RUN",
			lines: "FROM glibc\nCOPY a /app/\nCOPY libz.so.1 /usr/lib/\nRUN rm /usr/lib/libz.so.1" + start,
			files: map[string][]byte{"a": program("libz.so.1"), "libz.so.1": library()},
			says:  "libz.so.1, which /app/a needs, is not in the image",
		},
		{
			name: "in another directory of the base", lines: "FROM glibc\nCOPY a /app/" + start,
			files: map[string][]byte{"a": program("libvendor.so")},
		},
		{
			name: "of another program", lines: "FROM glibc\nCOPY a b /app/" + start,
			files: map[string][]byte{"a": program(), "b": program("libz.so.1")},
			notes: []string{"libz.so.1, which /app/b needs"},
		},
		{
			name: "a program for another system", lines: "FROM musl\nCOPY a b /app/" + start,
			files: map[string][]byte{"a": programtest.ELF(needs{
				Interpreter: muslLoader,
				Libraries:   []string{"libc.so", "libpthread.so.0"},
			}), "b": program("libc.so.6")},
		},
		{
			name: "a library that nothing needs", lines: "FROM glibc\nCOPY a libz.so.1 /app/" + start,
			files: map[string][]byte{"a": program("libc.so.6"), "libz.so.1": library("libnone.so")},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := evaluated(t, "linux/amd64", tc.lines, tc.files, false)
			notes, err := r.CheckLibraries(true, tc.allow)
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("the error is %v, want %q", err, tc.says)
			}
			matchNotes(t, notes, tc.notes)
			if notes, err := r.CheckLibraries(false, tc.allow); err != nil || len(notes) > 0 {
				t.Errorf("where the base is not known: %q %v", notes, err)
			}
		})
	}
}
