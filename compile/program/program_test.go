package program_test

import (
	"bytes"
	"context"
	"debug/elf"
	"debug/pe"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

var (
	linux   = platform.Platform{OS: "linux", Architecture: "amd64"}
	windows = platform.Platform{OS: "windows", Architecture: "amd64"}
	arm     = platform.Platform{OS: "linux", Architecture: "arm64"}
)

// module is a small module without imports, which compiles quickly: commands a and b
// share a package, and another command is also called a.
var module = map[string]string{
	"go.mod":  "module example.com/demo\n\ngo 1.24\n",
	"main.go": "package main\n\nfunc main() { println(\"root\") }\n",
	"cmd/a/main.go": "package main\n\nimport \"example.com/demo/shared\"\n\nvar version = \"none\"\n\nfunc " +
		"main() { println(\"a\", version, shared.Tag) }\n",
	"cmd/b/main.go": "package main\n\nimport \"example.com/demo/shared\"\n\nfunc " +
		"main() { println(\"b\", shared.Tag) }\n",
	"other/a/v2.go":  "package main\n\nfunc main() { println(\"other a\") }\n",
	"cmd/c/v2/c.go":  "package main\n\nfunc main() { println(\"c\") }\n",
	"shared/tag.go":  "//go:build !special\n\npackage shared\n\nconst Tag = \"plain\"\n",
	"shared/tag2.go": "//go:build special\n\npackage shared\n\nconst Tag = \"special\"\n",
	"theirs.go":      "//go:build theirs\n\npackage main\n\nthis does not compile\n",
	"shared/t.go":    "//go:build theirs\n\npackage shared\n\nthis does not compile\n",
}

func TestBuild(t *testing.T) {
	tree := write(t, module)
	st := storetest.Open(t)
	var programs []program.Program
	for _, on := range []platform.Platform{linux, windows} {
		for _, p := range []product.Program{
			{Name: "a", Package: "./cmd/a"},
			{Name: "b", Package: "./cmd/b"},
			{Name: "again", Package: "./cmd/a"},
			{Name: "other", Package: "./other/a"},
			{Name: "root", Package: "."},
			{Name: "c", Package: "./cmd/c/v2"},
		} {
			p.Ldflags = []string{"-X main.version={{.Version}}-{{slice .Revision 0 3}}"}
			programs = append(programs, declare(t, p, tree, on))
		}
	}
	programs = append(programs, declare(t, product.Program{Name: "b", Package: "./cmd/b"}, tree, arm))
	set, log := compile(t, st, programs)
	for name, says := range map[string]string{
		"a": "a 1.0-abc plain", "b": "b plain", "again": "a 1.0-abc plain", "other": "other a", "root": "root",
		"c": "c",
	} {
		path := file(t, set, name, linux)
		elfFile(t, path, elf.EM_X86_64)
		out, err := exec.Command(path).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != says {
			t.Errorf("%s says %q (%v), want %q", name, out, err, says)
		}
		peFile(t, file(t, set, name, windows))
	}
	// Programs with the same flags are one batch, except for two with the same file name.
	for _, want := range []string{
		"compiling a, b, again, root, c for linux/amd64 …", "compiling a, b, again, root, c for windows/amd64 …",
		"compiling other for linux/amd64 …", "compiling other for windows/amd64 …", "compiling b for linux/arm64 …",
	} {
		if strings.Count(log, want) != 1 {
			t.Errorf("the log does not say %q once:\n%s", want, log)
		}
	}
	elfFile(t, file(t, set, "b", arm), elf.EM_AARCH64)
	if n := strings.Count(log, "…"); n != 5 {
		t.Errorf("there were %d builds, want 5:\n%s", n, log)
	}

	if _, err := set.File(t.Context(), "none", linux); err == nil ||
		!strings.Contains(err.Error(), "program none is not built for linux/amd64") {
		t.Errorf("an unknown program gives %v", err)
	}
	release := windows
	release.OSVersion = "10.0.20348"
	if file(t, set, "a", release) != file(t, set, "a", windows) {
		t.Error("a Windows release has a program of its own")
	}
}

// TestAgain checks that an unchanged program is not compiled again, and a changed one is.
func TestAgain(t *testing.T) {
	tree := write(t, module)
	st := storetest.Open(t)
	a := []program.Program{declare(t, product.Program{Name: "a", Package: "./cmd/a"}, tree, linux)}
	look(t, st, a, program.Compile)
	if made, err := os.ReadDir(filepath.Join(st.Dir(), "work")); err != nil || len(made) > 0 {
		t.Errorf("looking made %v, %v", made, err)
	}
	first, _ := compile(t, st, a)
	look(t, st, a, program.Kept)
	digest := content(t, first, "a")

	t.Run("a directory is compared", func(t *testing.T) {
		again, log := compile(t, st, a)
		if log != "" || content(t, again, "a") != digest {
			t.Errorf("it was compiled again:\n%s", log)
		}
	})
	t.Run("a changed file is seen", func(t *testing.T) {
		text := strings.Replace(module["cmd/a/main.go"], "none", "some", 1)
		if err := os.WriteFile(filepath.Join(tree.Dir, "cmd/a/main.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		again, log := compile(t, st, a)
		if content(t, again, "a") == digest {
			t.Errorf("it was not compiled again:\n%s", log)
		}
	})

	fixed := write(t, module)
	fixed.Fixed, fixed.Source.Sum = true, "h1:one"
	a[0].Tree = fixed
	first, _ = compile(t, st, a)
	path := file(t, first, "a", linux)
	for _, tc := range []struct {
		name   string
		change func(*program.Program)
		says   string
	}{
		{"a module is not looked at", func(*program.Program) {}, ""},
		{"another package of that name", func(p *program.Program) { p.Package = "./other/a" }, "for linux/amd64"},
		{"a file that was deleted is made again", func(*program.Program) {
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
		}, "for linux/amd64"},
		{"a file that was cut off is made again", func(*program.Program) {
			if err := os.Truncate(path, 1000); err != nil {
				t.Error(err)
			}
		}, "for linux/amd64"},
		{"another hash", func(p *program.Program) { p.Tree.Source.Sum = "h1:two" }, "for linux/amd64"},
		{"other flags", func(p *program.Program) { p.Flags = []string{"-tags=special"} }, "for linux/amd64"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := a[0]
			tc.change(&p)
			state := program.Compile
			if tc.says == "" {
				state = program.Kept
			}
			look(t, st, []program.Program{p}, state)
			set, log := compile(t, st, []program.Program{p})
			if tc.says == "" && log != "" || !strings.Contains(log, tc.says) {
				t.Errorf("the log is %q, want %q in it", log, tc.says)
			}
			out, err := exec.Command(file(t, set, "a", linux)).CombinedOutput()
			want := "a none plain"
			switch {
			case p.Package == "./other/a":
				want = "other a"
			case len(p.Flags) > 0:
				want = "a none special"
			}
			if err != nil || strings.TrimSpace(string(out)) != want {
				t.Errorf("it says %q (%v), want %q", out, err, want)
			}
		})
	}
}

// look checks what [program.Look] finds of the first programs.
func look(t *testing.T, st *store.Store, programs []program.Program, want ...program.State) {
	t.Helper()
	states, err := program.Look(t.Context(), st, programs)
	if err != nil || len(states) != len(programs) || !slices.Equal(states[:len(want)], want) {
		t.Errorf("the states are %v (%v), want %v", states, err, want)
	}
}

// TestVendored compiles a module as old go commands packed it: its vendor directory has
// only the list of modules.
func TestVendored(t *testing.T) {
	tree := write(t, module)
	tree.Fixed, tree.Source.Sum = true, "h1:vendored"
	if err := errors.Join(
		os.Mkdir(filepath.Join(tree.Dir, "vendor"), 0o755),
		os.WriteFile(filepath.Join(tree.Dir, "vendor", "modules.txt"),
			[]byte("# example.com/other v1.0.0\n## explicit\nexample.com/other\n"), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	compile(t, storetest.Open(t),
		[]program.Program{declare(t, product.Program{Name: "a", Package: "./cmd/a"}, tree, linux)})
}

// TestSameBytes compiles in two directories, once with environment variables set
// that configure other tools.
func TestSameBytes(t *testing.T) {
	for _, on := range []platform.Platform{linux, windows} {
		t.Run(on.OS, func(t *testing.T) {
			build := func() v1.Hash {
				p := declare(t, product.Program{Name: "a", Package: "./cmd/a"}, write(t, module), on)
				set, _ := compile(t, storetest.Open(t), []program.Program{p})
				out, err := set.File(t.Context(), "a", on)
				if err != nil {
					t.Fatal(err)
				}
				return out.Content.Digest
			}
			want := build()
			for k, v := range map[string]string{
				"GOOS": "plan9", "GOARCH": "arm", "GOFLAGS": "-tags=theirs", "GOAMD64": "v3", "CGO_ENABLED": "1",
				"GO111MODULE": "off", "GOWORK": "/none",
			} {
				t.Setenv(k, v)
			}
			if got := build(); got != want {
				t.Errorf("the second program is %s, the first %s", got, want)
			}
		})
	}
}

// TestSystems checks that flags, environment and tags for one operating system reach its programs
// alone, and that these are batches of their own.
func TestSystems(t *testing.T) {
	tree := write(t, module)
	tree.Source.Systems = []product.SystemFlags{{OS: "linux", GoFlags: product.GoFlags{Env: []string{"A=1"}}}}
	p := product.Program{
		Name: "a", Package: "./cmd/a", GoFlags: product.GoFlags{Ldflags: []string{"-s"}, Tags: []string{"all"}},
		Systems: []product.SystemFlags{
			{
				OS:      "linux",
				GoFlags: product.GoFlags{Ldflags: []string{"-X main.version={{.Version}}"}, Tags: []string{"special"}},
			},
			{OS: "windows", GoFlags: product.GoFlags{Flags: []string{"-v"}, Env: []string{"B=2"}}},
		},
	}
	both := []program.Program{declare(t, p, tree, linux), declare(t, p, tree, windows)}
	for n, want := range [][3]string{
		{"-s -X main.version=1.0", "-tags=all,special", "A=1"},
		{"-s", "-v -tags=all", "B=2"},
	} {
		got := [3]string{
			strings.Join(both[n].Ldflags, " "), strings.Join(both[n].Flags, " "),
			strings.Join(both[n].Env, " "),
		}
		if got != want {
			t.Errorf("for %s: %q, want %q", both[n].Platform, got, want)
		}
	}
	st := storetest.Open(t)
	says := func(want string) {
		t.Helper()
		set, _ := compile(t, st, []program.Program{declare(t, p, tree, linux)})
		if out, err := exec.Command(file(t, set, "a", linux)).CombinedOutput(); err != nil ||
			strings.TrimSpace(string(out)) != want {
			t.Errorf("it says %q (%v), want %q", out, err, want)
		}
	}
	says("a 1.0 special")
	p.Systems[0].Tags = nil
	says("a 1.0 plain")
	p.Systems[0].OS, p.Systems[0].Tags = "windows", []string{"special"}
	says("a none plain")
}

// TestFailure checks that the compiler's message appears once, with program and platform,
// and that other batches continue.
func TestFailure(t *testing.T) {
	broken := map[string]string{"cmd/broken/main.go": "package main\n\nfunc main() { undefinedThing() }\n"}
	for k, v := range module {
		broken[k] = v
	}
	tree := write(t, broken)
	programs := []program.Program{
		declare(t, product.Program{Name: "broken", Package: "./cmd/broken"}, tree, linux),
		declare(t, product.Program{Name: "broken", Package: "./cmd/broken"}, tree, windows),
		declare(t, product.Program{
			Name: "a", Package: "./cmd/a",
			GoFlags: product.GoFlags{Flags: []string{"-tags=special"}},
		}, tree, linux),
	}
	set, wait := program.Start(t.Context(), storetest.Open(t), nil, programs)
	err := wait()
	if err == nil {
		t.Fatal("it compiles")
	}
	for _, on := range []string{"linux/amd64", "windows/amd64"} {
		if n := strings.Count(err.Error(), "compiling broken for "+on); n != 1 {
			t.Errorf("the error names %s %d times:\n%v", on, n, err)
		}
	}
	if n := strings.Count(err.Error(), "cmd/broken/main.go:3:15: undefined: undefinedThing"); n != 2 {
		t.Errorf("the compiler's message stands there %d times, want one for each platform:\n%v", n, err)
	}
	_, err = set.File(t.Context(), "broken", windows)
	if failed := (program.ErrFailed{}); !errors.As(err, &failed) || failed.Name != "broken" ||
		failed.Platform != "windows/amd64" {
		t.Errorf("the program's error is %v", err)
	}
	if out, err := exec.Command(file(t, set, "a", linux)).CombinedOutput(); err != nil ||
		string(out) != "a none special\n" {
		t.Errorf("the other program says %q (%v)", out, err)
	}
}

// TestCancel checks that a canceled build and its compilers end at once.
func TestCancel(t *testing.T) {
	dir := t.TempDir()
	began, tool := filepath.Join(dir, "began"), filepath.Join(dir, "tool")
	// The compiler never ends. It opens the pipe, which closes when the compiler has died.
	script := "#!/bin/sh\ncase \"$*\" in *-V=full*) exec \"$@\";; esac\necho x > " + began + "\nexec sleep 1000 > " +
		began + "\n"
	if err := os.WriteFile(tool, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfifo", began).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := declare(t, product.Program{
		Name: "a", Package: "./cmd/a",
		GoFlags: product.GoFlags{Flags: []string{"-toolexec=" + tool}},
	}, write(t, module), linux)
	ctx, cancel := context.WithCancel(t.Context())
	set, wait := program.Start(ctx, storetest.Open(t), nil, []program.Program{p})
	pipe, err := os.Open(began)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if _, err := io.ReadFull(pipe, make([]byte, 2)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	// The pipe ends with the last process that has it open. A leftover process would keep
	// it open beyond the test's timeout.
	if _, err := io.Copy(io.Discard, pipe); err != nil {
		t.Fatal(err)
	}
	if _, err := set.File(t.Context(), "a", linux); err == nil {
		t.Error("the program is there")
	}
}

// TestWaiting checks that a caller waiting for a program stops when its own context ends.
func TestWaiting(t *testing.T) {
	p := declare(t, product.Program{Name: "a", Package: "./cmd/a"}, write(t, module), linux)
	set, wait := program.Start(t.Context(), storetest.Open(t), nil, []program.Program{p})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := set.File(ctx, "a", linux); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
}

func write(t *testing.T, content map[string]string) source.Tree {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return source.Tree{Dir: dir, Source: product.Source{
		Name: "demo", Directory: dir, Revision: "abcdef0123456789",
		Created: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC),
	}}
}

func declare(t *testing.T, p product.Program, tree source.Tree, on platform.Platform) program.Program {
	t.Helper()
	p.Source = tree.Source.Name
	r, err := program.New(p, tree, "1.0", on)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// compile compiles programs and returns them and the progress output.
func compile(t *testing.T, st *store.Store, programs []program.Program) (*program.Set, string) {
	t.Helper()
	var log bytes.Buffer
	pr := progress.New(&log)
	set, wait := program.Start(t.Context(), st, pr, programs)
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	pr.Close()
	return set, log.String()
}

func file(t *testing.T, set *program.Set, name string, on platform.Platform) string {
	t.Helper()
	out, err := set.File(t.Context(), name, on)
	if err != nil {
		t.Fatal(err)
	}
	return out.Path
}

func content(t *testing.T, set *program.Set, name string) v1.Hash {
	t.Helper()
	out, err := set.File(t.Context(), name, linux)
	if err != nil {
		t.Fatal(err)
	}
	return out.Content.Digest
}

func elfFile(t *testing.T, path string, machine elf.Machine) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer f.Close()
	if f.Machine != machine || slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Errorf("%s is for %s, or not static", path, f.Machine)
	}
}

func peFile(t *testing.T, path string) {
	t.Helper()
	f, err := pe.Open(path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer f.Close()
	if f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 {
		t.Errorf("%s is for machine %#x", path, f.Machine)
	}
}
