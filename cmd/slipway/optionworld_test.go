package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/crane"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/internal/testing/githubtest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/report"
)

// world is a directory that has everything which the commands need.
type world struct {
	dir      string // runs take place in copies,
	top      string // below this
	registry *recorder
	host     string
	env      []string
	runs     chan string // names of runs
	words    []string    // what commands printed that prepared it, behind their names
}

// outcomeOf is what a run leaves, without what is another each time.
type outcomeOf struct {
	code   int
	stdout string
	stderr string
	facts  map[string]bool
}

// differs reports whether a run has something that two others lack, or lacks something that both
// have.
func (o outcomeOf) differs(plain [2]outcomeOf) bool {
	for fact := range o.facts {
		if !plain[0].facts[fact] && !plain[1].facts[fact] {
			return true
		}
	}
	for fact := range plain[0].facts {
		if plain[1].facts[fact] && !o.facts[fact] {
			return true
		}
	}
	return false
}

// passing are times, sizes and addresses that are others in each run.
var passing = regexp.MustCompile(
	`127\.0\.0\.1:\d+|\(\d+(\.\d+)?s\)|[0-9.]+ [kMGT]B are free|"(free|seconds|milliseconds|nanoseconds|took|began|started|ended)": ?"?[^",]*"?`)

// run runs a command in a copy of the world.
func (w *world) run(t *testing.T, args []string) outcomeOf {
	t.Helper()
	id := <-w.runs
	dir := filepath.Join(w.top, id)
	if err := w.copy(dir); err != nil {
		t.Error(err)
	}
	defer os.RemoveAll(dir)
	if args[0] == "cacheprog" { // what was not used for some days
		aa, name, then := filepath.Join(dir, "home/.cache/slipway/go-build/aa"), strings.Repeat("a", 64)+"-d",
			time.Now().AddDate(0, 0, -3)
		put(t, aa, name, strings.Repeat("a", 2e6))
		if err := os.Chtimes(filepath.Join(aa, name), then, then); err != nil {
			t.Error(err)
		}
	}
	return w.start(t, dir, args, id)
}

// start runs a command in a directory.
func (w *world) start(t *testing.T, dir string, args []string, id string) outcomeOf {
	t.Helper()
	o := outcomeOf{facts: map[string]bool{}}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), slipway(t))
	for _, a := range args {
		cmd.Args = append(cmd.Args, strings.NewReplacer(append(w.words, "$RUN", id, "$REG", w.host)...).Replace(a))
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir,
		slices.Concat(w.env, []string{"HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + w.top}), &out, &errs
	if input, err := os.Open(filepath.Join(dir, args[0]+".stdin")); err == nil {
		defer input.Close()
		cmd.Stdin = input
	}
	if args[0] == "serve" { // until it gets the signal to end
		cmd.Stderr = io.MultiWriter(&errs, ending{cmd})
		if slices.ContainsFunc(args, func(a string) bool { return optionName(a) == "quiet" }) {
			cmd.Stdout = io.MultiWriter(&out, ending{cmd})
		}
	}
	if args[0] == "github-release" { // there is one for each run
		hub := githubtest.New()
		defer hub.Close()
		cmd.Env = append(cmd.Env, "GITHUB_API_URL="+hub.API(), "GITHUB_REPOSITORY="+githubtest.Repository,
			"GITHUB_TOKEN="+githubtest.Token)
	}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Error(err)
	}
	o.code, o.stdout, o.stderr = cmd.ProcessState.ExitCode(), out.String(), errs.String()
	add := func(from, text string) {
		text = strings.NewReplacer(dir, "DIR", id, "RUN").Replace(passing.ReplaceAllString(text, "PASSING"))
		for line := range strings.Lines(text) {
			o.facts[from+": "+strings.TrimRight(line, "\n")] = true
		}
	}
	add("exit code", strconv.Itoa(o.code))
	add("stdout", out.String())
	add("stderr", errs.String())
	for _, path := range w.registry.paths(id) {
		add("registry", path)
	}
	w.files(t, dir, add)
	return o
}

// ending interrupts a command when it writes.
type ending struct{ cmd *exec.Cmd }

func (e ending) Write(p []byte) (int, error) {
	e.cmd.Process.Signal(os.Interrupt) //nolint:errcheck // it may have ended
	return len(p), nil
}

// files adds the files of a directory to what came of a run, but those of the store, which knows
// times.
func (w *world) files(t *testing.T, dir string, add func(from, text string)) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name == ".slipway":
			add("directory", name)
			return filepath.SkipDir
		case d.IsDir() || d.Name() == times.FileName || d.Name() == report.RunName:
			add("file", name)
			return nil
		}
		text, err := os.ReadFile(path)
		sum := sha256.Sum256(bytes.ReplaceAll(text, []byte(dir), []byte("DIR")))
		add("file", fmt.Sprintf("%s %x", name, sum[:8]))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// recorder is a registry that knows what it was sent, by the run that a path names.
type recorder struct {
	http.Handler
	mu   sync.Mutex
	sent []string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.Method == http.MethodPut && strings.Contains(q.URL.Path, "/manifests/") {
		r.mu.Lock()
		r.sent = append(r.sent, q.URL.Path)
		r.mu.Unlock()
	}
	r.Handler.ServeHTTP(w, q)
}

func (r *recorder) paths(run string) (paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.sent {
		if strings.Contains(p, "/"+run+"/") {
			paths = append(paths, p)
		}
	}
	return paths
}

// newWorld makes the directory in whose copies commands run.
func newWorld(t *testing.T, table *optionTable) *world {
	t.Helper()
	r := &recorder{Handler: registrytest.Handler()}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	w := &world{
		dir: t.TempDir(), top: t.TempDir(), registry: r, host: s.Listener.Addr().String(),
		runs: make(chan string),
	}
	w.env = append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local", "SLIPWAY_PASSWORD=a password", "KUBECONFIG=")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		w.env = append(w.env, name+"="+strings.TrimSpace(string(out)))
	}
	go func() {
		for n := 1000; ; n++ {
			select {
			case w.runs <- fmt.Sprint("run", n):
			case <-t.Context().Done():
				return
			}
		}
	}()
	for _, tag := range []string{"1.0.0", "1.0.1"} {
		pushBase(t, w.host+"/base:"+tag, tag)
	}
	for _, f := range table.world {
		put(t, w.dir, f.Name, strings.ReplaceAll(string(f.Data), "$REG", w.host))
	}
	for _, args := range table.prepare {
		o := w.start(t, w.dir, args[1:], "prepare")
		if o.code != 0 {
			t.Fatalf("slipway %s:\n%s", strings.Join(args[1:], " "), o.stderr)
		}
		w.words = append(w.words, "$"+strings.ToUpper(args[0]), strings.TrimSpace(o.stdout))
	}
	pushBase(t, w.host+"/base:1.0.0", "moved")
	put(t, w.dir, ".slipway/blobs/sha256/"+strings.Repeat("0", 64), "damaged")
	return w
}

func pushBase(t *testing.T, ref, variable string) {
	t.Helper()
	img, err := mutate.ConfigFile(empty.Image,
		&v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Env: []string{"A=" + variable}}})
	if err == nil {
		err = crane.Push(img, ref)
	}
	if err != nil {
		t.Fatal(err)
	}
}
