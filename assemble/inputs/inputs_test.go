package inputs_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"

	"github.com/slipway-dev/slipway/assemble/inputs"
	"github.com/slipway-dev/slipway/product"
)

const described = `apiVersion: slipway/v1
name: demo
version: 1.0.0
platforms: [linux/amd64]
sources:
  - {name: app, directory: src, revision: abc, created: 2025-01-01T00:00:00Z}
bases: [{name: static, builtin: static}]
programs: [{name: app, source: app, package: .}]
images:
  - name: app
    source: app
    dockerfile: {file: build/Dockerfile, context: build, programs: [app]}
release:
  templates: [{path: config}]
  kustomize: [{path: deploy/prod}]
airgap: {images: images.txt}
`

// project is a product with a file of every kind, and some that are not inputs.
var project = map[string]string{
	"slipway.yaml":                   described,
	"images.txt":                     "",
	"bases.lock.yaml":                "apiVersion: slipway/v1\nbases: []\n",
	"src/go.mod":                     "module example.com/app\n",
	"src/main.go":                    "package main\n\nfunc main() {}\n",
	"build/Dockerfile":               "FROM static\n",
	"build/.dockerignore":            "secret\n",
	"build/secret":                   "no",
	"build/start.sh":                 "#!/bin/sh\n",
	"config/a.yaml":                  "{}\n",
	"deploy/prod/kustomization.yaml": "resources: [../base]\n",
	"deploy/prod/unused.yaml":        "{}\n",
	"deploy/base/kustomization.yaml": "resources: [pod.yaml]\n",
	"deploy/base/pod.yaml":           "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n",
	"README.md":                      "not an input",
	"dist/old":                       "not an input",
	"src/other/.gitignore":           "# Written by slipway.\n*\n",
	"src/other/release.part.json":    "{}",
}

var want = []string{
	"product/bases.lock.yaml", "product/build/", "product/build/.dockerignore", "product/build/Dockerfile",
	"product/build/start.sh", "product/config/a.yaml",
	"product/deploy/base/kustomization.yaml", "product/deploy/base/pod.yaml", "product/deploy/prod/kustomization.yaml",
	"product/images.txt", "product/slipway.yaml",
	"product/src/go.mod", "product/src/main.go",
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(p), 0o755))
		must(t, os.WriteFile(p, []byte(text), 0o644))
	}
}

func archive(t testing.TB, dir string, committed bool) ([]byte, *inputs.Set) {
	t.Helper()
	p, err := product.Load(t.Context(),
		product.Options{Path: filepath.Join(dir, "slipway.yaml"), Made: []string{filepath.Join(dir, "dist")}})
	must(t, err)
	s := p.Source("app")
	set, err := inputs.Collect(t.Context(),
		p, []inputs.Source{{Name: s.Name, Directory: s.Directory, Own: s.Own, Committed: committed}})
	must(t, err)
	var b bytes.Buffer
	_, err = set.Write(t.Context(), &b, io.Discard, nil)
	must(t, err)
	return b.Bytes(), set
}

func names(t testing.TB, text []byte) (all []string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(text))
	must(t, err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		must(t, err)
		all = append(all, h.Name)
	}
}

// TestArchive makes the archive of a product in two directories, which differ in everything that
// should not matter.
func TestArchive(t *testing.T) {
	one := t.TempDir()
	write(t, one, project)
	must(t, os.Chmod(filepath.Join(one, "build", "start.sh"), 0o754))
	first, set := archive(t, one, false)
	if d := cmp.Diff(want, names(t, first)); d != "" {
		t.Errorf("the archive (-want +got):\n%s", d)
	}
	if set.File != "product/slipway.yaml" || len(set.Outside) > 0 {
		t.Errorf("the set is of %s, without %v", set.File, set.Outside)
	}

	two := filepath.Join(t.TempDir(), "elsewhere")
	must(t, os.Mkdir(two, 0o755))
	old := syscall.Umask(0o077)
	other := map[string]string{}
	for name, text := range project {
		if !strings.HasPrefix(name, "build/") {
			other[name] = text
		}
	}
	err := os.WriteFile(filepath.Join(two, "slipway.yaml"), []byte(described), 0o600)
	syscall.Umask(old)
	must(t, err)
	write(t, two, project)
	for name := range other {
		must(t, os.Chmod(filepath.Join(two, name), 0o600))
	}
	must(t, os.Chmod(filepath.Join(two, "build", "start.sh"), 0o754))
	t.Setenv("TZ", "Pacific/Apia")
	if second, _ := archive(t, two, false); !bytes.Equal(first, second) {
		t.Error("another directory, umask and time zone give another archive")
	}

	// The mode of a file in a build context decides the image.
	must(t, os.Chmod(filepath.Join(two, "build", "start.sh"), 0o644))
	if second, _ := archive(t, two, false); bytes.Equal(first, second) {
		t.Error("another mode in a context gives the same archive")
	}

	// What a commit has is not in it.
	got, _ := archive(t, one, true)
	committed := slices.DeleteFunc(slices.Clone(want), func(s string) bool {
		return strings.HasPrefix(s, "product/src/")
	})
	if d := cmp.Diff(committed, names(t, got)); d != "" {
		t.Errorf("with a committed source (-want +got):\n%s", d)
	}
}

// TestGit leaves out what git ignores of a source, and takes what it does not have yet.
func TestGit(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, project)
	write(t, dir, map[string]string{"src/.gitignore": "*.o\n", "src/a.o": "x", "src/new.go": "package main\n"})
	for _, args := range [][]string{{"init", "-q"}, {"add", "src/main.go"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	got, _ := archive(t, dir, false)
	all := append(slices.Clone(want), "product/src/.gitignore", "product/src/new.go")
	slices.Sort(all)
	if d := cmp.Diff(all, slices.Sorted(slices.Values(names(t, got)))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestOutside reports what no one else has.
func TestOutside(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, project)
	inner := filepath.Join(dir, "inner")
	must(t, os.Mkdir(inner, 0o755))
	write(t,
		inner,
		map[string]string{"slipway.yaml": strings.NewReplacer("path: config", "path: ../config",
			"build/Dockerfile", "../build/Dockerfile",
			"context: build", "context: ../build", "directory: src", "directory: ../src", "images.txt", "../images.txt",
			"deploy/prod", "../deploy/prod").Replace(described)})
	_, set := archive(t, inner, false)
	if d := cmp.Diff([]string{"build", "build/Dockerfile", "config", "deploy/prod", "images.txt"},
		func() (all []string) {
			for _, p := range set.Outside {
				rel, err := filepath.Rel(dir, p)
				must(t, err)
				all = append(all, filepath.ToSlash(rel))
			}
			return all
		}()); d != "" {
		t.Errorf("outside (-want +got):\n%s", d)
	}
}

// TestExtract unpacks an archive over other files, under another umask.
func TestExtract(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, project)
	must(t, os.Chmod(filepath.Join(dir, "build", "start.sh"), 0o757))
	must(t, os.Symlink("start.sh", filepath.Join(dir, "build", "link")))
	text, set := archive(t, dir, false)
	to := t.TempDir()
	write(t, to, map[string]string{"product/build/start.sh": "old", "product/README.md": "stays"})
	old := syscall.Umask(0o077)
	err := inputs.Extract(bytes.NewReader(text), to)
	syscall.Umask(old)
	must(t, err)
	again, _ := archive(t, filepath.Dir(filepath.Join(to, filepath.FromSlash(set.File))), false)
	if !bytes.Equal(text, again) {
		t.Errorf("what was unpacked is archived as\n%s\nnot\n%s", names(t, again), names(t, text))
	}
	if fi, err := os.Stat(filepath.Join(to, "product/build/start.sh")); err != nil || fi.Mode().Perm() != 0o757 {
		t.Errorf("start.sh: %v, %v", fi, err)
	}
}

// TestExtractHostile unpacks archives that write elsewhere.
func TestExtractHostile(t *testing.T) {
	for name, headers := range map[string][]tar.Header{
		"parent":   {{Name: "../out", Typeflag: tar.TypeReg}},
		"absolute": {{Name: "/etc/out", Typeflag: tar.TypeReg}},
		"through a link": {
			{Name: "l", Typeflag: tar.TypeSymlink, Linkname: ".."},
			{Name: "l/out", Typeflag: tar.TypeReg},
		},
		"hard link": {{Name: "out", Typeflag: tar.TypeLink, Linkname: "../x"}},
		"device":    {{Name: "out", Typeflag: tar.TypeChar}},
		"directory behind": {
			{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/tmp"},
			{Name: "l/out/", Typeflag: tar.TypeDir},
		},
	} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		for _, h := range headers {
			must(t, w.WriteHeader(&h))
		}
		must(t, errors.Join(w.Close(), z.Close()))
		above := t.TempDir()
		dir := filepath.Join(above, "in")
		must(t, os.Mkdir(dir, 0o755))
		if err := inputs.Extract(&b, dir); err == nil || !strings.HasPrefix(err.Error(), "unpacking inputs: ") {
			t.Errorf("%s: error %v", name, err)
		}
		if list, err := os.ReadDir(above); err != nil || len(list) != 1 {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	if err := inputs.Extract(strings.NewReader("x"), t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "not the archive of a release") {
		t.Errorf("no archive: %v", err)
	}
}

// FuzzExtract unpacks archives of unknown origin.
func FuzzExtract(f *testing.F) {
	dir := f.TempDir()
	write(f, dir, map[string]string{"a": "b"})
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range []tar.Header{
		{Name: "a", Typeflag: tar.TypeReg},
		{Name: "b/", Typeflag: tar.TypeDir, Mode: 0o700},
		{Name: "l", Typeflag: tar.TypeSymlink, Linkname: ".."},
	} {
		must(f, w.WriteHeader(&h))
	}
	must(f, errors.Join(w.Close(), z.Close()))
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		above := t.TempDir()
		dir := filepath.Join(above, "in")
		must(t, os.Mkdir(dir, 0o755))
		_ = inputs.Extract(bytes.NewReader(text), dir)
		must(t, os.Chmod(dir, 0o755))
		must(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() {
				return os.Chmod(p, 0o755)
			}
			return err
		}))
		if list, err := os.ReadDir(above); err != nil || len(list) != 1 {
			t.Errorf("%v, %v", list, err)
		}
	})
}

// TestNoRepository checks that no archive brings a repository, whose settings name programs.
func TestNoRepository(t *testing.T) {
	for name, link := range map[string]string{
		"product/.git/config": "", "product/.GIT/config": "", "sources/x/.Git": "", "product/git~1/config": "",
		"product/GIT~1": "", "product/.git /config": "",
		"product/.git./config": "", "product/.git::$INDEX_ALLOCATION/config": "", "product/.g\u200cit/config": "",
		"product/a\\.git\\config": "",
		"product/link":            ".git", "product/other": "sub/../.git/hooks",
	} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		h := &tar.Header{Name: name, Mode: 0o644, Typeflag: tar.TypeReg}
		if link != "" {
			h.Typeflag, h.Linkname = tar.TypeSymlink, link
		}
		must(t, w.WriteHeader(h))
		must(t, errors.Join(w.Close(), z.Close()))
		dir := t.TempDir()
		if err := inputs.Extract(&b, dir); err == nil ||
			!strings.Contains(err.Error(), "a git repository, which inputs never have") {
			t.Errorf("%q: %v", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%q: %v, %v", name, left, err)
		}
	}
}
