package program_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// inputs is a module whose command p is compiled from files of every kind, and q from none of them.
var inputs = map[string]string{
	"m/go.mod": "module example.com/m\n\ngo 1.24\n\nrequire (\n\texample.com/m/nested " +
		"v0.0.0\n\texample.com/other v0.0.0\n\texample.com/idle v0.0.0\n)\n\nreplace (\n\texample.com/m/nested " +
		"=> ../nested\n\texample.com/other => ../other\n\texample.com/idle => ../idle\n)\n",
	"m/cmd/p/main.go": "package main\n\nimport (\n\t_ " +
		"\"embed\"\n\n\t\"example.com/m/lib\"\n\t\"example.com/m/nested\"\n\t\"example.com/other\"\n)\n\n//go:embed " +
		"text.txt\nvar text string\n\nvar version = \"none\"\n\nfunc main() { println(text, lib.Name, " +
		"lib.Files(), nested.Name, other.Name, version) }\n",
	"m/cmd/p/text.txt": "text",
	"m/cmd/q/main.go":  "package main\n\nfunc main() { println(\"q\") }\n",
	"m/lib/lib.go": "package lib\n\nimport \"embed\"\n\n//go:embed data/*\nvar data " +
		"embed.FS\n\n// Files tells what is embedded.\nfunc Files() string {\n\ts := \"\"\n\tlist, " +
		"_ := data.ReadDir(\"data\")\n\tfor _, f := range list {\n\t\ts += f.Name()\n\t}\n\treturn s\n}\n",
	"m/lib/name.go":          "//go:build !special\n\npackage lib\n\nconst Name = \"plain\"\n",
	"m/lib/special.go":       "//go:build special\n\npackage lib\n\nconst Name = \"special\"\n",
	"m/lib/lib_test.go":      "package lib\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {}\n",
	"m/lib/data/a":           "a",
	"m/unused/unused.go":     "package unused\n\nconst Name = \"unused\"\n",
	"m/README":               "read me",
	"nested/go.mod":          "module example.com/m/nested\n\ngo 1.24\n",
	"nested/nested.go":       "package nested\n\nconst Name = \"nested\"\n",
	"other/go.mod":           "module example.com/other\n\ngo 1.24\n",
	"other/other.go":         "package other\n\nconst Name = \"other\"\n",
	"other/inner/inner.go":   "package inner\n\nconst Name = \"inner\"\n",
	"idle/go.mod":            "module example.com/idle\n\ngo 1.24\n",
	"m/vendored/vendored.go": "package vendored\n",
	"m/lib/testdata/x/x.go":  "package x\n",
	"outside/replacement.go": "package other\n\nconst Name = \"replaced\"\n",
	"outside/go.mod":         "module example.com/other\n\ngo 1.24\n",
}

// TestInputs checks for each kind of input that a program is compiled again after it has changed,
// and that one whose inputs are the same is not, without a look of the go command.
func TestInputs(t *testing.T) {
	const before = "text plain a nested other none"
	for _, tc := range []struct {
		name   string
		change map[string]string // "" removes a file
		flags  []string          // of all runs
		env    []string
		after  string // what the program prints; "" means that it does not compile
	}{
		{
			name: "a line of a file",
			change: map[string]string{"m/lib/name.go": "//go:build !special\n\npackage " +
				"lib\n\nconst Name = \"changed\"\n"}, after: "text changed a nested other none",
		},
		{
			name:   "another file of its size",
			change: map[string]string{"other/other.go": "package other\n\nconst Name = \"OTHER\"\n"},
			after:  "text plain a nested OTHER none",
		},
		{
			name: "an embedded file", change: map[string]string{"m/cmd/p/text.txt": "TEXT"},
			after: "TEXT plain a nested other none",
		},
		{
			name: "a file that a pattern embeds", change: map[string]string{"m/lib/data/b": "b"},
			after: "text plain ab nested other none",
		},
		{name: "an embedded file is gone", change: map[string]string{"m/cmd/p/text.txt": ""}},
		{
			name: "a build constraint",
			change: map[string]string{"m/lib/name.go": "//go:build special\n\npackage " +
				"lib\n\nconst Name = \"plain\"\n"},
		},
		{
			name: "a file for build tags", flags: []string{"-tags=special"},
			change: map[string]string{"m/lib/special.go": "//go:build special\n\npackage " +
				"lib\n\nconst Name = \"SPECIAL\"\n"}, after: "text SPECIAL a nested other none",
		},
		{
			name: "a generated file",
			change: map[string]string{
				"m/cmd/p/zz_generated.go": "package main\n\nfunc init() { version = \"generated\" }\n",
			},
			after: "text plain a nested other generated",
		},
		{
			name:   "a file for the platform",
			change: map[string]string{"m/cmd/p/x_linux.go": "package main\n\nfunc init() { version = \"linux\" }\n"},
			after:  "text plain a nested other linux",
		},
		{
			name: "a new import",
			change: map[string]string{
				"m/cmd/p/x.go": "package main\n\nimport \"example.com/m/unused\"\n\nfunc init() " +
					"{ version = unused.Name }\n",
			}, after: "text plain a nested other unused",
		},
		{
			name:   "a replaced module",
			change: map[string]string{"nested/nested.go": "package nested\n\nconst Name = \"NESTED\"\n"},
			after:  "text plain a NESTED other none",
		},
		{
			name:   "another replacement",
			change: map[string]string{"m/go.mod": strings.Replace(module2(), "=> ../other", "=> ../outside", 1)},
			after:  "text plain a nested replaced none",
		},
		{
			name:   "go.mod of a module without packages",
			change: map[string]string{"idle/go.mod": "module example.com/idle\n\ngo 1.23\n"}, after: before,
		},
		{name: "go.sum", change: map[string]string{"m/go.sum": "\n"}, after: before},
		{name: "a directory becomes a module", change: map[string]string{"m/lib/go.mod": "module example.com/m/lib\n"}},
		{
			name:   "a package that is found in two modules",
			change: map[string]string{"m/nested/n.go": "package nested\n\nconst Name = \"mine\"\n"},
		},
		{
			name:   "a directory vendor",
			change: map[string]string{"m/vendor/modules.txt": "# example.com/absent v1.0.0\n"},
		},
		{name: "an object file", change: map[string]string{"m/lib/x_amd64.syso": "no object"}},
		{name: "a second package", change: map[string]string{"m/lib/x_test.go": "package second\n"}},
		{name: "a profile", change: map[string]string{"m/cmd/p/default.pgo": "this is no profile"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, tree := modules(t)
			st := storetest.Open(t)
			p := []program.Program{
				declare(t, product.Program{Name: "p", Package: "./cmd/p"}, tree, linux),
				declare(t, product.Program{Name: "q", Package: "./cmd/q"}, tree, linux),
			}
			for n := range p {
				p[n].Flags, p[n].Env = tc.flags, tc.env
			}
			compile(t, st, p)
			kept(t, st, p)
			set(t, dir, tc.change)
			look(t, st, p, program.Compare)
			if tc.after == "" {
				if _, wait := program.Start(t.Context(), st, nil, p); wait() == nil {
					t.Fatal("it compiles")
				}
				return
			}
			again, _ := compile(t, st, p)
			if says := run(t, file(t, again, "p", linux)); says != tc.after {
				t.Errorf("it says %q, want %q", says, tc.after)
			}
			compile(t, st, p) // packages that are new are known since the first time
			kept(t, st, p)
		})
	}
}

// TestOnlyChanged checks that the go command is asked for the changed program only, and that a
// file that no program is compiled from is not a reason to ask it.
func TestOnlyChanged(t *testing.T) {
	dir, tree := modules(t)
	st := storetest.Open(t)
	p := []program.Program{
		declare(t, product.Program{Name: "p", Package: "./cmd/p"}, tree, linux),
		declare(t, product.Program{Name: "q", Package: "./cmd/q"}, tree, linux),
	}
	compile(t, st, p)
	set(t, dir, map[string]string{
		"m/README": "changed", "m/unused/unused.go": "package unused\n\nconst Name = \"changed\"\n",
		"m/lib/testdata/x/x.go": "package y\n",
		"m/lib/lib_test.go":     "package lib\n\nimport \"testing\"\n\nfunc Test(t *testing.T) { t.Log() }\n",
		"other/inner/inner.go":  "package inner\n", "go.work": "go 1.24\n\nuse ./other\n",
	})
	kept(t, st, p)
	set(t, dir, map[string]string{"m/cmd/q/main.go": "package main\n\nfunc main() { println(\"Q\") }\n"})
	again, log := compile(t, st, p)
	if !strings.Contains(log, "compiling q for linux/amd64 …") || run(t, file(t, again, "q", linux)) != "Q" {
		t.Errorf("the log is %q", log)
	}
	if says := run(t, file(t, again, "p", linux)); says != "text plain a nested other none" {
		t.Errorf("p says %q", says)
	}
	kept(t, st, p)
}

// TestOtherFlags checks that a program with other flags is another one, and that nothing is taken
// for current whose flags name files or commands of the machine.
func TestOtherFlags(t *testing.T) {
	_, tree := modules(t)
	st := storetest.Open(t)
	p := declare(t, product.Program{Name: "p", Package: "./cmd/p"}, tree, linux)
	compile(t, st, []program.Program{p})
	for _, change := range []func(*program.Program){
		func(p *program.Program) { p.Ldflags = []string{"-X main.version=one"} },
		func(p *program.Program) { p.Flags = []string{"-tags=special"} },
		func(p *program.Program) { p.Env = []string{"GOAMD64=v2"} },
		func(p *program.Program) { p.Platform = arm },
	} {
		q := p
		change(&q)
		look(t, st, []program.Program{q}, program.Compile)
		compile(t, st, []program.Program{q})
		kept(t, st, []program.Program{q})
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, []byte(`{"Replace":{}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(*program.Program){
		func(p *program.Program) { p.Flags = []string{"-overlay=" + overlay} },
		func(p *program.Program) { p.Env = []string{"GOTOOLDIR=/nowhere"} },
		func(p *program.Program) { p.Ldflags = []string{"-linkmode=internal"} },
	} {
		q := p
		change(&q)
		compile(t, st, []program.Program{q})
		look(t, st, []program.Program{q}, program.Compare)
	}
	t.Setenv("GODEBUG", "http2debug=1")
	look(t, st, []program.Program{p}, program.Compare)
}

// TestVendoredInputs checks that vendored packages are inputs.
func TestVendoredInputs(t *testing.T) {
	tree := write(t, map[string]string{
		"go.mod":                         "module example.com/v\n\ngo 1.24\n\nrequire example.com/dep v1.0.0\n",
		"vendor/modules.txt":             "# example.com/dep v1.0.0\n## explicit; go 1.24\nexample.com/dep\n",
		"vendor/example.com/dep/name.go": "package dep\n\nconst Name = \"vendored\"\n",
		"main.go": "package main\n\nimport \"example.com/dep\"\n\nfunc " +
			"main() { println(dep.Name) }\n",
	})
	st := storetest.Open(t)
	p := []program.Program{declare(t, product.Program{Name: "v", Package: "."}, tree, linux)}
	compile(t, st, p)
	kept(t, st, p)
	set(t, tree.Dir, map[string]string{"vendor/example.com/dep/name.go": "package dep\n\nconst Name = \"changed\"\n"})
	look(t, st, p, program.Compare)
	again, _ := compile(t, st, p)
	if says := run(t, file(t, again, "v", linux)); says != "changed" {
		t.Errorf("it says %q", says)
	}
	kept(t, st, p)
}

// TestDamagedOutput checks that a program is compiled again after its file was removed or replaced.
func TestDamagedOutput(t *testing.T) {
	_, tree := modules(t)
	st := storetest.Open(t)
	p := []program.Program{declare(t, product.Program{Name: "q", Package: "./cmd/q"}, tree, linux)}
	set, _ := compile(t, st, p)
	if err := os.Truncate(file(t, set, "q", linux), 10); err != nil {
		t.Fatal(err)
	}
	look(t, st, p, program.Compile)
	set, _ = compile(t, st, p)
	if says := run(t, file(t, set, "q", linux)); says != "q" {
		t.Errorf("it says %q", says)
	}
}

// TestDamagedBeforeChange: a program that is damaged when a file changes that is not compiled for
// this system, so that the go command takes it for current by its build ID, is linked again.
func TestDamagedBeforeChange(t *testing.T) {
	dir, tree := modules(t)
	st := storetest.Open(t)
	p := []program.Program{declare(t, product.Program{Name: "p", Package: "./cmd/p"}, tree, linux)}
	first, _ := compile(t, st, p)
	path := file(t, first, "p", linux)
	damaged, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged[len(damaged)/2] ^= 1
	if err := os.WriteFile(path, damaged, 0o755); err != nil {
		t.Fatal(err)
	}
	set(t, dir, map[string]string{"m/lib/special.go": inputs["m/lib/special.go"] + "\n// a comment\n"})
	again, log := compile(t, st, p)
	got, err := os.ReadFile(file(t, again, "p", linux))
	if err != nil {
		t.Fatal(err)
	}
	clean, _ := compile(t, storetest.Open(t), p)
	if want, err := os.ReadFile(file(t, clean, "p", linux)); err != nil || !slices.Equal(got, want) {
		t.Errorf("not the program that is compiled into an empty store, %v; the go command said:\n%s", err, log)
	}
	kept(t, st, p)
}

// kept checks that programs count as current, and that the go command is not run for them.
func kept(t *testing.T, st *store.Store, programs []program.Program) {
	t.Helper()
	look(t, st, programs, slices.Repeat([]program.State{program.Kept}, len(programs))...)
	if _, log := compile(t, st, programs); log != "" {
		t.Errorf("the go command was run:\n%s", log)
	}
}

func module2() string { return inputs["m/go.mod"] }

// modules writes inputs to a directory, and returns it and the tree of the module m.
func modules(t *testing.T) (dir string, tree source.Tree) {
	t.Helper()
	all := write(t, inputs)
	dir = all.Dir
	all.Dir = filepath.Join(dir, "m")
	return dir, all
}

// set writes and removes files.
func set(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range maps.All(files) {
		path := filepath.Join(dir, name)
		if text == "" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run returns what a program prints.
func run(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command(path).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestImportPath checks that the inputs of a program are known that is named by its import path,
// also one of a module that the tree only requires: then go.mod of the tree decides which that is.
func TestImportPath(t *testing.T) {
	dir, tree := modules(t)
	set(t, dir, map[string]string{
		"other/cmd/o/main.go":   "package main\n\nimport \"example.com/other\"\n\nfunc main() { println(other.Name) }\n",
		"outside/cmd/o/main.go": "package main\n\nimport \"example.com/other\"\n\nfunc main() { println(other.Name) }\n",
	})
	st := storetest.Open(t)
	for pkg, files := range map[string]map[string]string{
		"example.com/m/cmd/q":     {"m/cmd/q/main.go": "package main\n\nfunc main() { println(\"new\") }\n"},
		"example.com/other/cmd/o": {"m/go.mod": strings.Replace(inputs["m/go.mod"], "=> ../other", "=> ../outside", 1)},
	} {
		name := filepath.Base(pkg)
		p := []program.Program{{Name: name, Package: pkg, Platform: linux, Tree: tree}}
		compile(t, st, p)
		kept(t, st, p)
		set(t, dir, files)
		look(t, st, p, program.Compare)
		again, _ := compile(t, st, p)
		if says, want := run(t, file(t, again, name, linux)), map[string]string{"q": "new", "o": "replaced"}[name]; says != want {
			t.Errorf("%s says %q, want %q", pkg, says, want)
		}
		kept(t, st, p)
	}
}
