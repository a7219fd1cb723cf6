//go:build linux

package explore

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"pgregory.net/rapid"

	"github.com/slipway-dev/slipway/internal/testing/githubtest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// world is the directory of a walk, beside a registry of its own. Everything that a walk does is in
// script, so that it can be done again by hand.
type world struct {
	t      *rapid.T
	p      *product
	dir    string // has src, home and tmp
	host   string // of the registry
	script []string
	at     string // the version that the product has now
	edits  int
	now    *release // in out; nil if there is none
	older  []*release
	server *httptest.Server
	how    condition // of all commands that do not have their own
	sent   string    // the flag with the registries of the step publish, when it came last
	plan   string    // the reference of the last plan in the registry
	hub    *githubtest.Server
	writes atomic.Int64 // requests that change the registry
	up     atomic.Int64 // how many requests are answered before an outage; 0 without one
	status atomic.Int64 // of the answers in it
}

// release is what the last command left in a directory.
type release struct {
	dir    string   // relative to the world
	flags  []string // with which it was made, without places
	pushed string   // the registry; "" for a snapshot
	key    string   // the public key that verifies it; "" if it is not signed
}

// newWorld lays out a product.
func newWorld(t *rapid.T, p *product) *world {
	dir, err := os.MkdirTemp("", "explore-")
	must(t, err)
	w := &world{t: t, p: p, dir: dir, at: p.version}
	if maybe(t, 3, "a condition") {
		w.how = drawCondition(t)
		w.how.umask = pick(t, "umask", "", "077", "002")
	}
	t.Cleanup(w.close)
	w.server, w.hub = httptest.NewServer(w.failing(w.counting(registrytest.Handler()))), githubtest.New()
	w.host = strings.TrimPrefix(w.server.URL, "http://")
	must(t, pushBases(w.host))
	for _, d := range []string{"src", "home", "tmp"} {
		must(t, os.MkdirAll(w.path(d), 0o755))
	}
	for _, path := range p.paths() {
		w.write("src/"+path, p.files[path])
	}
	w.write("src/slipway.yaml", encode(p.yaml))
	if p.git {
		w.git("init", "-q", "-b", "main")
		w.commit("first")
		w.tag(p.version)
	}
	return w
}

func (w *world) close() {
	w.server.Close()
	w.hub.Close()
	remove(w.dir)
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// write writes a file of the product. PROGRAM: and TAR: stand for a program.
func (w *world) write(name, text string) {
	text = strings.ReplaceAll(text, host, w.host)
	mode := os.FileMode(0o644)
	if of, ok := strings.CutPrefix(text, "PROGRAM:"); ok {
		text, mode = string(prebuilt(w.t, of)), 0o755
	} else if of, ok := strings.CutPrefix(text, "TAR:"); ok {
		text = string(archive(w.t, prebuilt(w.t, of)))
	}
	must(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	must(w.t, os.WriteFile(w.path(name), []byte(text), mode))
}

// git runs git in the product's directory.
func (w *world) git(args ...string) {
	cmd := exec.CommandContext(context.Background(), "git", append([]string{"-C", w.path("src")}, args...)...)
	cmd.Env = append(w.env(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.com",
		fmt.Sprintf("GIT_AUTHOR_DATE=2025-01-%02dT00:00:00Z", 1+w.edits),
		fmt.Sprintf("GIT_COMMITTER_DATE=2025-01-%02dT00:00:00Z", 1+w.edits))
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (w *world) commit(message string) {
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", message)
}

func (w *world) tag(version string) {
	prefix, _ := w.p.yaml["tagPrefix"].(string)
	w.git("tag", prefix+version)
}

// env is the environment of commands: only what a walk has.
func (w *world) env() []string {
	env := []string{
		"HOME=" + w.path("home"), "TMPDIR=" + w.path("tmp"), "PATH=" + os.Getenv("PATH"), "SLIPWAY_PASSWORD=secret",
		"GOFLAGS=", "CGO_ENABLED=0",
		"GOPROXY=file://" + proxy(), "GOSUMDB=off", "GOMODCACHE=" + filepath.Join(shared, "modcache"),
		"GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1", "GOGC=400",
		"XDG_CACHE_HOME=" + filepath.Join(shared, "cache"), "KUBECONFIG=", "GITHUB_API_URL=" + w.hub.API(),
		"GITHUB_REPOSITORY=" + githubtest.Repository,
		"GITHUB_TOKEN=" + githubtest.Token,
	}
	return append(env, goEnv()...)
}

// fail ends the walk with what broke a law, and how to get there.
func (w *world) fail(r *result, format string, args ...any) {
	var b strings.Builder
	fmt.Fprintf(&b, format+"\n", args...)
	if r != nil {
		fmt.Fprintf(&b, "\nslipway %s ended with %d\n%s%s", strings.Join(r.args, " "), r.code, clip(r.stdout),
			clip(r.stderr))
	}
	b.WriteString("\n" + w.txtar())
	w.t.Fatal(b.String())
}

// clip keeps the begin of a long text.
func clip(s string) string {
	if len(s) > 3000 {
		return s[:3000] + "…\n"
	}
	return s
}

// txtar is the walk as a testscript.
func (w *world) txtar() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n-- src/slipway.yaml --\n%s", strings.Join(w.script, "\n"), encode(w.p.yaml))
	for _, path := range w.p.paths() {
		fmt.Fprintf(&b, "-- src/%s --\n%s", path, w.p.files[path])
		if !strings.HasSuffix(w.p.files[path], "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// change edits a program of the product, or only its version.
func (w *world) change() {
	w.edits++
	text := strings.Replace(mainText, "println(version)", fmt.Sprintf("println(version, %d)", w.edits), 1)
	w.script = append(w.script, fmt.Sprintf("# edit %d of src/a/main.go", w.edits))
	w.write("src/a/main.go", text)
	if w.p.git {
		w.commit("edit")
	}
}

// raise gives the product its next version.
func (w *world) raise() {
	core, _, _ := strings.Cut(w.p.version, "-")
	parts := strings.Split(core, ".")
	w.edits++
	parts[2] = fmt.Sprint(100 + w.edits)
	w.at = strings.Join(parts, ".")
	w.script = append(w.script, "# version "+w.at)
	if w.p.git {
		w.commit("raise")
		w.tag(w.at)
		return
	}
	o := object{}
	for k, v := range w.p.yaml {
		o[k] = v
	}
	o["version"] = w.at
	w.write("src/slipway.yaml", encode(o))
}

// tree returns the names of all files of a directory with their sizes, modes and contents' digests.
func (w *world) tree(dir string) map[string]string { return tree(w.t, w.path(dir)) }

// exists reports whether a file or directory is there.
func (w *world) exists(name string) bool {
	_, err := os.Lstat(w.path(name))
	return err == nil
}

// files returns the files of a directory that end so.
func (w *world) files(dir, suffix string) (names []string) {
	entries, _ := os.ReadDir(w.path(dir)) // there are none then
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			names = append(names, dir+"/"+e.Name())
		}
	}
	slices.Sort(names)
	return names
}

func must(t interface{ Fatal(args ...any) }, err error) {
	if err != nil {
		t.Fatal(err)
	}
}
