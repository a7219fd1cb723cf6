package assemble_test

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/gzip"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// monorepo is a repository with a product in app, and a module next door that the product
// replaces another one by.
var monorepo = map[string]string{
	".gitignore": "*.ignored\n",
	"lib/go.mod": "module example.com/lib\n\ngo 1.26\n",
	"lib/lib.go": "package lib\n\nconst Name = \"lib\"\n",
	"app/go.mod": "module example.com/app\n\ngo 1.26\n\nrequire example.com/lib v0.0.0\n\nreplace " +
		"example.com/lib => ../lib\n",
	"app/assets/a":   "a\n",
	"app/kodata/a":   "a\n",
	"app/ctx/a":      "a\n",
	"app/Dockerfile": "FROM scratch\nCOPY . /\n",
	"app/main.go": "package main\n\nimport (\n\t\"embed\"\n\n\t\"example.com/lib\"\n)\n\n//go:embed " +
		"assets\nvar fs embed.FS\n\nfunc main() { println(lib.Name, &fs) }\n",
	"app/slipway.yaml": monorepoProduct,
}

const monorepoProduct = `apiVersion: slipway/v1
name: demo
version: 1.0.0
platforms: [linux/amd64]
sources: [{name: app, directory: .}]
bases: [{name: static, builtin: static}]
programs: [{name: app, source: app, package: .}]
images:
- {name: app, bases: {linux: static}, go: {program: app}}
- {name: ctx, dockerfile: {file: Dockerfile, context: ctx}, source: app}
`

// TestProven builds from sources of which a commit has all that is read, and from others.
func TestProven(t *testing.T) {
	gitConfig(t)
	for _, tc := range []struct {
		name   string
		change func(t *testing.T, dir string)
		// whether the source is known by a commit, whether its revision has changes, and whether
		// it is proven
		commit, dirty, proven bool
		archived              string // a file of the archive
	}{
		{name: "as committed", change: func(*testing.T, string) {}, commit: true, proven: true},
		{
			name: "an edit in a module next door", change: edit("lib/lib.go"),
			dirty: true, archived: "product/lib/lib.go",
		},
		{
			name: "an edit that git was told not to look at", dirty: true, archived: "product/app/main.go",
			change: func(t *testing.T, dir string) {
				gitIn(t, dir, "update-index", "--assume-unchanged", "app/main.go")
				edit("app/main.go")(t, dir)
			},
		},
		{
			name: "an edit where slipway writes", dirty: true, archived: "product/app/out/b",
			change: func(t *testing.T, dir string) {
				edit("app/out/b")(t, dir)
				gitIn(t, dir, "add", ".")
				gitIn(t, dir, "commit", "-q", "-m", "second")
				edit("app/out/b")(t, dir)
			},
		},
		{name: "an ignored file that is compiled in", change: edit("app/assets/a.ignored"), commit: true},
		{name: "an ignored file that is not read", change: edit("app/other/a.ignored"), commit: true, proven: true},
		{
			name: "an ignored file in a context", change: edit("app/ctx/a.ignored"),
			archived: "product/app/ctx/a.ignored",
		},
		{
			name: "an ignored file in kodata", change: edit("app/kodata/a.ignored"),
			archived: "product/app/kodata/a.ignored",
		},
		{
			name: "an empty directory in a context", archived: "product/app/ctx/empty/",
			change: func(t *testing.T, dir string) {
				if err := os.Mkdir(filepath.Join(dir, "app/ctx/empty"), 0o755); err != nil {
					t.Fatal(err)
				}
			},
		},
		{name: "a submodule", archived: "product/app/assets/sub/lib.go", change: func(t *testing.T, dir string) {
			other := repositoryOf(t, map[string]string{"lib.go": "package other\n"})
			gitIn(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "app/assets/sub")
			gitIn(t, dir, "commit", "-q", "-m", "second")
		}},
		{name: "a flag that names a file", commit: true, change: func(t *testing.T, dir string) {
			product := strings.Replace(monorepoProduct, "package: .}", "package: ., flags: [-overlay=overlay.json]}", 1)
			write(t, dir, map[string]string{"app/slipway.yaml": product, "app/overlay.json": "{}"})
			gitIn(t, dir, "add", ".")
			gitIn(t, dir, "commit", "-q", "-m", "second")
		}},
		{name: "a file whose line breaks git changes", commit: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{".gitattributes": "app/assets/b text eol=crlf\n", "app/assets/b": "b\r\n"})
			gitIn(t, dir, "add", ".")
			gitIn(t, dir, "commit", "-q", "-m", "second")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := repositoryOf(t, monorepo)
			tc.change(t, dir)
			st := storetest.Open(t)
			r, err := assemble.Build(t.Context(), loadApp(t, dir), assemble.Options{Store: st})
			if err != nil {
				t.Fatal(err)
			}
			s := materialOf(t, r.Materials, "app")
			if strings.Contains(tc.name, "line breaks") { // a plan does not compile
				p := loadApp(t, dir)
				ready, err := assemble.Fetch(t.Context(), p, assemble.Options{Store: st}).Prepare(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				all, err := ready.Materials(t.Context())
				if err == nil {
					err = ready.Baseline.ProveTrees(t.Context(), all)
				}
				if err != nil || materialOf(t, all, "app").Proven {
					t.Errorf("for other machines: %+v, %v", all, err)
				}
			}
			if commit, dirty := s.GitCommit != "", strings.HasSuffix(s.Revision, "-dirty"); commit != tc.commit ||
				dirty != tc.dirty || s.Proven != tc.proven {
				t.Errorf("the source is %+v", s)
			}
			if names := archived(t, st, r.Materials); tc.archived != "" && !slices.Contains(names, tc.archived) {
				t.Errorf("the archive has %q", names)
			}
		})
	}
}

// TestChangedMeanwhile changes files while the compiler runs, and restores some before it ends.
func TestChangedMeanwhile(t *testing.T) {
	gitConfig(t)
	compiler, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, before, after, change, want string
	}{
		{
			"a file of the program", "", "echo >>main.go",
			"", "source app changed while program app was compiled from it: run again",
		},
		{
			"a file that is restored", "cp main.go /dev/shm/main.$$; echo >>main.go",
			"cp /dev/shm/main.$$ main.go; rm /dev/shm/main.$$",
			"", "source app changed while program app was compiled from it",
		},
		{
			"a file of a context", "", "cp ctx/a ctx/b; mv ctx/b ctx/a", "",
			"ctx/a changed while the release was made, which may have it as it was or as it is: run again",
		},
		{
			"slipway.yaml", "", "echo >>slipway.yaml",
			"", "source app: app/slipway.yaml changed while the release was made",
		},
		{"a file that is not read", "", "echo >>../README", "", ""},
		{
			"a file of a source with changes", "", "echo >>ctx/a", "app/ctx/new",
			"ctx/a changed while the release was made",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := repositoryOf(t, monorepo)
			if tc.change != "" {
				edit(tc.change)(t, dir)
			}
			bin := t.TempDir()
			script := "#!/bin/sh\n[ $1 = build ] || exec " + compiler + " \"$@\"\n" + tc.before +
				"\n" + compiler + " \"$@\"\nresult=$?\n" + tc.after + "\nexit $result\n"
			if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
			_, err := assemble.Build(t.Context(), loadApp(t, dir), assemble.Options{Store: storetest.Open(t)})
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func gitConfig(t *testing.T) {
	t.Helper()
	for k, v := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull,
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "c",
		"GIT_COMMITTER_EMAIL": "c@example.com",
	} {
		t.Setenv(k, v)
	}
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// repositoryOf returns a repository with one commit.
func repositoryOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	gitIn(t, dir, "init", "-q")
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "-q", "-m", "first")
	return dir
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
			os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// edit adds a line to a file.
func edit(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		text, _ := os.ReadFile(filepath.Join(dir, name)) // it may be new
		write(t, dir, map[string]string{name: string(text) + "\n"})
	}
}

// loadApp reads the product of a monorepo, which is released to its directory out.
func loadApp(t *testing.T, dir string) *product.Product {
	t.Helper()
	app := filepath.Join(dir, "app")
	p, err := product.Load(t.Context(),
		product.Options{Path: filepath.Join(app, "slipway.yaml"), Made: []string{filepath.Join(app, "out")}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func materialOf(t *testing.T, all []lock.Material, source string) lock.Material {
	t.Helper()
	n := slices.IndexFunc(all, func(m lock.Material) bool { return m.Name == source })
	if n < 0 {
		t.Fatalf("the materials are %+v", all)
	}
	return all[n]
}

// archived lists the archive of inputs.
func archived(t *testing.T, st *store.Store, all []lock.Material) (names []string) {
	t.Helper()
	n := slices.IndexFunc(all, func(m lock.Material) bool { return strings.HasSuffix(m.URI, ".inputs.tar.gz") })
	f, err := st.Open(v1.Hash{Algorithm: "sha256", Hex: all[n].SHA256})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}
