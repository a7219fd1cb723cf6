package main

import (
	"bytes"
	"cmp"
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
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slipway-dev/slipway/internal/testing/githubtest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/report"
	"github.com/slipway-dev/slipway/shard"
)

// TestEveryOption runs each command with each option that it accepts, in copies of one directory, and
// compares what comes of it with a run without the option: the exit code, what is printed, the files
// and what the registry is sent. An option that changes nothing is accepted, and nobody reads it.
// testdata/options.txtar has the command lines and the values.
func TestEveryOption(t *testing.T) {
	table := readOptions(t)
	world := newWorld(t, table)
	t.Run("options", func(t *testing.T) {
		for _, b := range table.bases {
			t.Run(b.line, func(t *testing.T) {
				t.Parallel()
				table.try(t, world, b)
			})
		}
	})
	var unused []string
	each(newRoot(), func(cmd *cobra.Command, f *pflag.Flag) {
		if name := cmd.CommandPath() + " -" + f.Name; !table.used[name] {
			unused = append(unused, name)
		}
	})
	if len(unused) > 0 {
		t.Errorf("testdata/options.txtar has no command line in which these are of use: %s", strings.Join(unused, ", "))
	}
}

// try runs a command line, and then with each of its options.
func (table *optionTable) try(t *testing.T, world *world, b *optionBase) {
	cmd, _, err := newRoot().Find(b.args)
	if err != nil {
		t.Fatal(err)
	}
	plain := [2]outcome{world.run(t, b.args), world.run(t, b.args)}
	if o := plain[0]; o.code == 2 {
		t.Fatalf("it is a wrong command line:\n%s", o.stderr)
	}
	for _, name := range b.options(cmd) {
		o := cmp.Or(b.values[name], table.defaults[name])
		if o == untried {
			continue
		}
		if o == "" {
			t.Errorf("testdata/options.txtar has no value of -%s", name)
			continue
		}
		got := world.run(t, append(slices.Clone(b.args), o))
		switch {
		case malformed.MatchString(got.stderr):
			t.Errorf("%s: the value is malformed, and proves nothing: %s", o, got.stderr)
		case !got.differs(plain):
			t.Errorf("%s: %s: it is as without the option, which nobody reads: make it a usage error:\n%s%s", b.line, o, got.stdout, got.stderr)
		case got.code != 2:
			table.use(cmd, name)
		}
	}
}

// untried is the value of an option that a command line is not tried with.
const untried = "--"

// each calls do with each option of each command, but -help.
func each(cmd *cobra.Command, do func(*cobra.Command, *pflag.Flag)) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			do(cmd, f)
		}
	})
	for _, sub := range cmd.Commands() {
		each(sub, do)
	}
}

// malformed is what is said of a value that the option's type refuses.
var malformed = regexp.MustCompile(`invalid argument ".*" for ".*" flag|unknown (shorthand )?flag|flag needs an argument`)

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

// outcome is what a run leaves, without what is another each time.
type outcome struct {
	code   int
	stdout string
	stderr string
	facts  map[string]bool
}

// differs reports whether a run has something that two others lack, or lacks something that both have.
func (o outcome) differs(plain [2]outcome) bool {
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
var passing = regexp.MustCompile(`127\.0\.0\.1:\d+|\(\d+(\.\d+)?s\)|[0-9.]+ [kMGT]B are free|"(free|seconds|milliseconds|nanoseconds|took|began|started|ended)": ?"?[^",]*"?`)

// run runs a command in a copy of the world.
func (w *world) run(t *testing.T, args []string) outcome {
	t.Helper()
	id := <-w.runs
	dir := filepath.Join(w.top, id)
	if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
		t.Error(err)
	}
	defer os.RemoveAll(dir)
	if args[0] == "cacheprog" { // what was not used for some days
		aa, name, then := filepath.Join(dir, "home/.cache/slipway/go-build/aa"), strings.Repeat("a", 64)+"-d", time.Now().AddDate(0, 0, -3)
		put(t, aa, name, strings.Repeat("a", 2e6))
		if err := os.Chtimes(filepath.Join(aa, name), then, then); err != nil {
			t.Error(err)
		}
	}
	return w.start(t, dir, args, id)
}

// start runs a command in a directory.
func (w *world) start(t *testing.T, dir string, args []string, id string) outcome {
	t.Helper()
	o := outcome{facts: map[string]bool{}}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), slipway(t))
	for _, a := range args {
		cmd.Args = append(cmd.Args, strings.NewReplacer(append(w.words, "$RUN", id, "$REG", w.host)...).Replace(a))
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(w.env, "HOME="+filepath.Join(dir, "home"), "TMPDIR="+w.top), &out, &errs
	if input, err := os.Open(filepath.Join(dir, args[0]+".stdin")); err == nil {
		defer input.Close()
		cmd.Stdin = input
	}
	if args[0] == "serve" { // until it is told to end
		cmd.Stderr = io.MultiWriter(&errs, ending{cmd})
		if slices.ContainsFunc(args, func(a string) bool { return optionName(a) == "quiet" }) {
			cmd.Stdout = io.MultiWriter(&out, ending{cmd})
		}
	}
	if args[0] == "github-release" { // there is one for each run
		hub := githubtest.New()
		defer hub.Close()
		cmd.Env = append(cmd.Env, "GITHUB_API_URL="+hub.API(), "GITHUB_REPOSITORY="+githubtest.Repository, "GITHUB_TOKEN="+githubtest.Token)
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
		case d.IsDir() || d.Name() == shard.WeightsName || d.Name() == report.RunName:
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

// optionTable is testdata/options.txtar.
type optionTable struct {
	prepare  [][]string
	defaults map[string]string // options with values, by their names
	bases    []*optionBase
	world    []txtar.File

	mu   sync.Mutex
	used map[string]bool // "slipway release -json"
}

// optionBase is a command line to which options are added.
type optionBase struct {
	line   string
	args   []string
	values map[string]string
	all    bool // with all options that the command has
}

func (o *optionTable) use(cmd *cobra.Command, name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.used[cmd.CommandPath()+" -"+name] = true
}

// options returns the names of the options that are tried.
func (b *optionBase) options(cmd *cobra.Command) (names []string) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && (b.all || b.values[f.Name] != "") {
			names = append(names, f.Name)
		}
	})
	return names
}

// readOptions reads testdata/options.txtar. A line of it
//
//	prepare ARGS    runs a command in the world, which must succeed
//	plan, open ARGS  do so, too; what they print is $PLAN and $OPEN below
//	default OPTION  is the value of an option where a command line has no other
//	try ARGS        is a command line that is tried with all its options
//	elsewhere COMMAND OPTION TEST  names what shows the use of an option
//	also ARGS       is one that is tried with the options below it
//
// Lines below these two, with a blank before them, are options. One that is followed by -- and a reason
// is not tried there.
func readOptions(t *testing.T) *optionTable {
	t.Helper()
	a, err := txtar.ParseFile("testdata/options.txtar")
	if err != nil {
		t.Fatal(err)
	}
	table := &optionTable{defaults: map[string]string{}, world: a.Files, used: map[string]bool{}}
	for line := range strings.Lines(string(a.Comment)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case strings.HasPrefix(line, " "):
			last := table.bases[len(table.bases)-1]
			last.values[optionName(words[0])] = words[0]
			if len(words) > 1 { // a reason
				last.values[optionName(words[0])] = untried
			}
		case words[0] == "prepare" || words[0] == "plan" || words[0] == "open":
			table.prepare = append(table.prepare, words)
		case words[0] == "default":
			table.defaults[optionName(words[1])] = words[1]
		case words[0] == "elsewhere":
			table.used["slipway "+words[1]+" "+words[2]] = true
		case words[0] == "try" || words[0] == "also":
			table.bases = append(table.bases, &optionBase{strings.Join(words[1:], " "), words[1:], map[string]string{}, words[0] == "try"})
		default:
			t.Fatalf("testdata/options.txtar: %s", line)
		}
	}
	return table
}

// optionName returns json of -json=true.
func optionName(option string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(option, "-"), "=")
	return name
}

// newWorld makes the directory in whose copies commands run.
func newWorld(t *testing.T, table *optionTable) *world {
	t.Helper()
	r := &recorder{Handler: registrytest.Handler()}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	w := &world{dir: t.TempDir(), top: t.TempDir(), registry: r, host: s.Listener.Addr().String(), runs: make(chan string)}
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
	img, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Env: []string{"A=" + variable}}})
	if err == nil {
		err = crane.Push(img, ref)
	}
	if err != nil {
		t.Fatal(err)
	}
}
