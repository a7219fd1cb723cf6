package source_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
)

const demo = "example.com/Demo@v1.2.3"

// TestModule fetches a module from a proxy on disk. It does not query the checksum
// database, which lacks the module.
func TestModule(t *testing.T) {
	s := proxy(t, demo)
	tree := fetch(t, s)
	if !tree.Fixed || !filepath.IsAbs(tree.Dir) || tree.Version() != "1.2.3" {
		t.Errorf("the tree is %+v of version %s", tree, tree.Version())
	}
	if b, err := os.ReadFile(filepath.Join(tree.Dir, "main.go")); err != nil ||
		!strings.Contains(string(b), "func main") {
		t.Errorf("main.go is %q (%v)", b, err)
	}
	if want := (product.BuildInfo{
		Version: "9", Revision: "abc", Created: "2025-01-02T03:04:05Z",
		SourceVersion: "1.2.3",
	}); tree.Info("9") != want {
		t.Errorf("templates see %+v, want %+v", tree.Info("9"), want)
	}
	// A cached module needs no proxy and is still hashed.
	t.Setenv("GOPROXY", "off")
	if again := fetch(t, s); !reflect.DeepEqual(again, tree) {
		t.Errorf("the second time %+v, the first %+v", again, tree)
	}
	s.Sum = "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	refused(t, s, "hash mismatch")
}

func TestWrongHash(t *testing.T) {
	const wrong = "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	s := proxy(t, demo)
	content := s
	content.Sum = wrong
	refused(t, content, "hash mismatch", "source demo", demo, s.Sum, wrong)
	gomod := s
	gomod.GoModSum = wrong
	refused(t, gomod, "hash mismatch", "source demo", "go.mod", demo, s.GoModSum, wrong)
}

// TestTamperedCache changes files in the module cache in a way that neither the go
// command nor the checksum database would detect.
func TestTamperedCache(t *testing.T) {
	for name, tamper := range map[string]func(dir, download string) error{
		"a file changed": func(dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() { println(2) }\n"),
				0o644)
		},
		"a file added": func(dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, "init.go"), []byte("package main\n"), 0o644)
		},
		"a file gone": func(dir, _ string) error { return os.Remove(filepath.Join(dir, "main.go")) },
		"go.mod changed": func(_, download string) error {
			return os.WriteFile(filepath.Join(download, "v1.2.3.mod"), []byte("module example.com/Demo\n\ngo 1.24\n"),
				0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := proxy(t, demo)
			dir := fetch(t, s).Dir
			writable(t, os.Getenv("GOMODCACHE"))
			if err := tamper(dir,
				filepath.Join(os.Getenv("GOMODCACHE"), "cache", "download", "example.com", "!demo", "@v")); err != nil {
				t.Fatal(err)
			}
			refused(t, s, "hash mismatch", demo)
		})
	}
}

// TestInterruptedExtraction checks that a module that the go command did not
// finish unpacking is not used.
func TestInterruptedExtraction(t *testing.T) {
	s := proxy(t, demo)
	dir := fetch(t, s).Dir
	writable(t, os.Getenv("GOMODCACHE"))
	partial := filepath.Join(os.Getenv("GOMODCACHE"), "cache", "download", "example.com", "!demo",
		"@v", "v1.2.3.partial")
	if err := errors.Join(os.Remove(filepath.Join(dir, "main.go")), os.WriteFile(partial, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if again := fetch(t, s); again.Dir != dir {
		t.Errorf("it lies in %s, before in %s", again.Dir, dir)
	}
}

func TestMissingModule(t *testing.T) {
	s := proxy(t, demo)
	s.Module = "example.com/Demo@v1.2.4"
	refused(t, s, "source demo", "example.com/Demo@v1.2.4")
	s.Module = "example.com/none@v1.0.0"
	refused(t, s, "source demo", "example.com/none@v1.0.0")
}

// TestIncomplete checks that the error for an incomplete module shows the lines to add to
// slipway.yaml, with values from the proxy.
func TestIncomplete(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	s := proxy(t, demo)
	s.Pos = yamlfile.Pos{File: "slipway.yaml", Line: 6, Column: 5}
	whole := s
	t.Setenv("GONOSUMDB", "example.com") // the module is in no database
	tags := strings.TrimPrefix(os.Getenv("GOPROXY"), "file://") + "/example.com/!demo/@v/"
	origin := func(vcs string) {
		t.Helper()
		files(t, tags,
			map[string]string{"v1.2.3.info": `{"Version":"v1.2.3","Time":"2023-11-14T23:13:20+01:00"` + vcs + `}`})
		cache := t.TempDir()
		t.Cleanup(func() { writable(t, cache) })
		t.Setenv("GOMODCACHE", cache)
	}

	origin(`,"Origin":{"VCS":"git","Hash":"` + commit + `"}`)
	s.Sum, s.GoModSum, s.Revision, s.Created = "", "", "", time.Time{}
	all := "\n    sum: " + whole.Sum + "\n    goModSum: " + whole.GoModSum + "\n    revision: " +
		commit + "\n    created: 2023-11-14T22:13:20Z"
	refused(t, s, "slipway.yaml:6:5: source demo lacks sum, revision, created, without which "+demo+
		" is not known: check these and add them to the source:"+all)
	s.Sum, s.Revision = whole.Sum, commit
	refused(t, s, "source demo lacks created, ",
		"source:\n    goModSum: "+whole.GoModSum+"\n    created: 2023-11-14T22:13:20Z")
	s.GoModSum, s.Created = whole.GoModSum, time.Unix(1700000000, 0).UTC()
	fetch(t, s)
	s.Revision = commit[:7]
	fetch(t, s)
	s.Revision = "v1.2.3"
	fetch(t, s)

	// The error for a wrong value also shows the right line.
	s.Revision = "fedcba9"
	refused(t, s, "slipway.yaml:6:5: the module proxy knows another commit or time of "+
		demo+": correct these lines:\n    revision: "+commit)
	s.Revision, s.Created = commit, time.Unix(1, 0)
	refused(t, s, "correct these lines:\n    created: 2023-11-14T22:13:20Z")
	s.Created, s.Sum = time.Unix(1700000000, 0), whole.GoModSum
	refused(t, s, "hash mismatch", "if slipway.yaml is wrong, its line is\n    sum: "+whole.Sum)
	s.Sum, s.GoModSum = whole.Sum, whole.Sum
	refused(t, s, "hash mismatch", "if slipway.yaml is wrong, its line is\n    goModSum: "+whole.GoModSum)

	// Not every proxy knows the commit, and its answer is validated.
	for _, vcs := range []string{"", `,"Origin":{"VCS":"git","Hash":"\u001b]0;x"}`} {
		origin(vcs)
		s.Sum, s.GoModSum, s.Revision, s.Created = whole.Sum, whole.GoModSum, "", time.Time{}
		refused(t, s, "lacks revision, created", "\n    created: 2023-11-14T22:13:20Z\n    revision: "+
			"# the commit of this version, which the module proxy does not know")
	}
	s.Module = "example.com/Demo@v1.2.4"
	refused(t, s, "lacks revision, created",
		"add them; the module proxy cannot be asked for them: downloading example.com/Demo@v1.2.4")
}

func TestNoGo(t *testing.T) {
	s := proxy(t, demo)
	t.Setenv("PATH", t.TempDir())
	refused(t, s, "the go command is needed", "https://go.dev/dl")
}

// proxy makes a module and a directory that the go command accepts as a proxy
// (https://go.dev/ref/mod#goproxy-protocol). It sets the environment to use that proxy
// and an empty module cache, and returns the source with its correct hashes.
func proxy(t *testing.T, mod string) product.Source {
	t.Helper()
	path, version, _ := strings.Cut(mod, "@")
	escaped, err := module.EscapePath(path)
	if err != nil {
		t.Fatal(err)
	}
	src, dir, cache := t.TempDir(), t.TempDir(), t.TempDir()
	files(t, src, map[string]string{
		"go.mod":         "module " + path + "\n\ngo 1.21\n",
		"main.go":        "package main\n\nfunc main() {}\n",
		"kodata/hello":   "hello\n",
		"config/app.yml": "a: b\n",
	})
	at := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	var b bytes.Buffer
	if err := zip.CreateFromDir(&b, module.Version{Path: path, Version: version}, src); err != nil {
		t.Fatal(err)
	}
	info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Unix(1700000000, 0).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(filepath.Join(src, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	files(t, at, map[string]string{
		"list": version + "\n", version + ".info": string(info),
		version + ".mod": string(gomod), version + ".zip": b.String(),
	})
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(dir))
	t.Setenv("GOMODCACHE", cache)
	t.Setenv("GOENV", "off")
	t.Cleanup(func() { writable(t, cache) }) // so that it can be removed

	s := product.Source{
		Name: "demo", Module: mod,
		Revision: "abc", Created: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	if s.Sum, err = dirhash.HashZip(filepath.Join(at, version+".zip"), dirhash.Hash1); err != nil {
		t.Fatal(err)
	}
	s.GoModSum = sumOfFile(t, filepath.Join(at, version+".mod"))
	return s
}

func fetch(t *testing.T, s product.Source, made ...string) source.Tree {
	t.Helper()
	for _, name := range made {
		s.Made = append(s.Made, filepath.Join(s.Directory, name))
	}
	tree, err := source.Fetch(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func refused(t *testing.T, s product.Source, says ...string) {
	t.Helper()
	tree, err := source.Fetch(t.Context(), s)
	if err == nil {
		t.Fatalf("it is fetched as %+v", tree)
	}
	for _, want := range says {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error %q does not say %q", err, want)
		}
	}
}

func files(t *testing.T, dir string, content map[string]string) {
	t.Helper()
	for name, text := range content {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// writable removes the go command's write protection of its module cache.
func writable(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if d.IsDir() {
			mode = 0o755
		}
		return os.Chmod(p, mode)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}
