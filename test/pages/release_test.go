package pages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/lock"
)

// A released is a release in a directory, and its page.
type released struct {
	dir, page string
	base      string // the directory of the release that the page compares it with; "" if it does not
}

func (r *released) lock(t testing.TB) *lock.Lock {
	t.Helper()
	l, err := lock.Read(filepath.Join(r.dir, lock.Name))
	must(t, err)
	return l
}

// slipway returns the path of the command, built from this checkout.
var slipway = sync.OnceValues(func() (string, error) { return testprog.Slipway(context.Background(), workDir) })

// run runs slipway, and returns what it prints.
func run(t testing.TB, args ...string) string {
	t.Helper()
	path, err := slipway()
	must(t, err)
	return testprog.Run(t, path, args...)
}

var made sync.Map // name → *released

// once makes a page the first time that a test asks for it.
func once(t testing.TB, name string, release func(t testing.TB) (dir, base string), options ...string) *released {
	t.Helper()
	if r, ok := made.Load(name); ok {
		return r.(*released)
	}
	r := &released{page: filepath.Join(workDir, name+".html")}
	r.dir, r.base = release(t)
	args := append([]string{"report", r.dir, "-o=" + r.page}, options...)
	if r.base != "" {
		args = append(args, "-since="+r.base)
	}
	run(t, args...)
	made.Store(name, r)
	return r
}

// kpack is the release that was made before the tests.
func kpack(t testing.TB) *released {
	t.Helper()
	return once(t, "kpack", func(t testing.TB) (string, string) {
		dir := os.Getenv("SLIPWAY_DIST")
		if dir == "" {
			t.Fatal("SLIPWAY_DIST does not name the release to test: run `go tool mage test`, which makes one first")
		}
		return dir, ""
	})
}

// hello is the example of that name.
func hello(t testing.TB) *released {
	t.Helper()
	return once(t, "hello", func(t testing.TB) (string, string) {
		return release(t, "hello", func(string) {}), ""
	})
}

// changed is hello after a change of a program and of its manifests, in which lint then finds
// something, compared with hello.
func changed(t testing.TB) *released {
	t.Helper()
	return once(t, "changed", func(t testing.TB) (string, string) {
		return release(t, "changed", func(dir string) {
			replace(t, filepath.Join(dir, "slipway.yaml"), "version: 1.0.0", "version: 1.1.0")
			replace(t, filepath.Join(dir, "cmd", "hello", "main.go"), "(hello %s)", "(hello, %s)")
			replace(t, filepath.Join(dir, "config", "jobs.yaml"), "            memory: 64Mi\n#@ end", "#@ end")
		}), hello(t).dir
	})
}

// release releases a copy of the example hello after a change.
func release(t testing.TB, name string, change func(dir string)) string {
	t.Helper()
	dir, out := filepath.Join(workDir, name+"-product"), filepath.Join(workDir, name)
	must(t, os.CopyFS(dir, os.DirFS("../../examples/hello")))
	change(dir)
	run(t, "release", "-q", "-binary=false", "-product="+filepath.Join(dir, "slipway.yaml"),
		"-store="+filepath.Join(workDir, "store"), "-out="+out)
	return out
}

// ran is hello with the timeline of the run that made it, which recorded keeps.
func ran(t testing.TB) *released {
	t.Helper()
	return once(t, "ran", func(t testing.TB) (string, string) {
		dir := release(t, "ran", func(dir string) {
			replace(t, filepath.Join(dir, "cmd", "hello", "main.go"), "(hello %s)", "(Hello %s)")
		})
		must(t, os.Mkdir(recorded(), 0o755))
		must(t, os.Rename(filepath.Join(workDir, "store", stagefile.Run.Name),
			filepath.Join(recorded(), stagefile.Run.Name)))
		return dir, ""
	}, "-run", "-store="+recorded())
}

func recorded() string { return filepath.Join(workDir, "recorded") }

// hostile is hello with markup, controls and long words in all that others could have written.
func hostile(t testing.TB) *released {
	t.Helper()
	return once(t, "hostile", func(t testing.TB) (string, string) {
		dir := filepath.Join(workDir, "hostile")
		must(t, os.CopyFS(dir, os.DirFS(changed(t).dir)))
		l := (&released{dir: dir}).lock(t)
		l.Name, l.Version = markup, "1\u202e\u2066</title>2\x1b[31m"
		l.Images[0].Name, l.Images[0].Tags = strings.Repeat("x", 200), []string{strings.Repeat("y", 128)}
		l.Images[1].Name, l.Images[1].Repository = "</td></table>"+markup, "slipway.local/"+strings.Repeat("z", 200)
		l.Sources[0].Name, l.Sources[0].URL, l.Sources[0].Revision = `" onmouseover="hacked()`, "javascript:hacked()",
			"\u200f"+markup
		must(t, l.Write(filepath.Join(dir, lock.Name)))
		replace(t, filepath.Join(dir, "release.yaml"), "name: hello-windows",
			`name: "`+strings.ReplaceAll(markup, `"`, `\"`)+`"`)
		resum(t, dir, listed(t, dir))
		return dir, hello(t).dir
	})
}

// markup would call hacked if a page took it for HTML.
const markup = `<script>hacked()</script><img src=x onerror="hacked()">`

// all are the pages that every check is for, by their names.
func all(t testing.TB) map[string]*released {
	t.Helper()
	return map[string]*released{
		"kpack": kpack(t), "hello": hello(t), "changed": changed(t), "ran": ran(t),
		"hostile": hostile(t),
	}
}

// many is a release of 200 images for 5 platforms.
func many(t testing.TB) *released {
	t.Helper()
	return once(t, "many", func(t testing.TB) (string, string) {
		dir, out := filepath.Join(workDir, "many-product"), filepath.Join(workDir, "many")
		text, err := os.ReadFile("../../examples/hello/slipway.yaml")
		must(t, err)
		head, _, _ := bytes.Cut(text, []byte("\nprograms:"))
		yaml := strings.NewReplacer("name: hello\nversion", "name: many\nversion", "[linux/amd64,",
			"[linux/amd64, linux/arm64,").Replace(string(head)) + "\nimages:\n"
		must(t, os.MkdirAll(filepath.Join(dir, "files"), 0o755))
		for n := range 200 {
			yaml += fmt.Sprintf("  - {name: image-%d, description: Number %[1]d, source: hello, dockerfile: "+
				"{file: Dockerfile, context: files, args: {N: '%[1]d'}}}\n", n)
			must(t, os.WriteFile(filepath.Join(dir, "files", fmt.Sprint(n)), fmt.Appendln(nil, n), 0o644))
		}
		must(t, os.WriteFile(filepath.Join(dir, "files", "all"), text, 0o644))
		must(t, os.WriteFile(filepath.Join(dir, "slipway.yaml"), []byte(yaml), 0o644))
		must(t,
			os.WriteFile(filepath.Join(dir, "Dockerfile"),
				[]byte("FROM static AS linux\nFROM nanoserver AS windows\nFROM ${TARGETOS}\nARG "+
					"N TARGETOS\nCOPY all /all\nCOPY $N /data\n"), 0o644))
		for _, stage := range [][]string{{"stage", "build"}, {"stage", "publish"}, {"airgap", "pack"}} {
			run(t, append(stage, "-q", "-product="+filepath.Join(dir, "slipway.yaml"),
				"-store="+filepath.Join(workDir, "store"), "-out="+out)...)
		}
		// A release has checksums; they name the bundles.
		bundles, err := filepath.Glob(filepath.Join(out, "*.tar.zst"))
		must(t, err)
		names := []string{lock.Name}
		for _, path := range bundles {
			names = append(names, filepath.Base(path))
		}
		resum(t, out, names)
		return out, ""
	})
}

// resum writes SHA256SUMS for files of a directory.
func resum(t testing.TB, dir string, names []string) {
	t.Helper()
	var sums strings.Builder
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(b), name)
	}
	must(t, os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o644))
}

// listed returns the names of the files that SHA256SUMS lists.
func listed(t testing.TB, dir string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	must(t, err)
	for line := range strings.Lines(string(text)) {
		names = append(names, strings.Fields(line)[1])
	}
	return names
}

// replace changes the first place of a file that says from.
func replace(t testing.TB, path, from, to string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	now := bytes.Replace(text, []byte(from), []byte(to), 1)
	if bytes.Equal(now, text) {
		t.Fatalf("%s has no %q", path, from)
	}
	must(t, os.WriteFile(path, now, 0o644))
}
