//go:build linux && amd64

package torture

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// worker tries one case after the other. All runs of a worker have the same directory and
// registry address, since what slipway remembers names paths, and what it writes names
// registries.
type worker struct {
	dir     string // where commands run: src, store, out, in, tmp
	saved   string // copies of dir before each scenario's command
	logs    string
	home    string
	host    string          // of the registry
	proxy   *proxy          // of the scenario
	proxies map[bool]*proxy // and all, by whether they are secure
	fail    chan error      // what went wrong with the suite itself
	ready   map[*scenario]*prepared
	stop    func() // ends the registry
}

// prepared is a scenario as a worker has it.
type prepared struct {
	golden  tree // after an undisturbed run
	stdout  string
	content content // of the registry, before
	tags    map[string]string
	took    time.Duration
}

// problem is what the suite itself cannot go on with.
type problem struct{ error }

func (w *worker) must(err error) {
	if err != nil {
		panic(problem{err})
	}
}

func newWorker(base string, n int) (*worker, error) {
	at := filepath.Join(base, fmt.Sprint(n))
	w := &worker{
		dir: filepath.Join(at, "w"), saved: filepath.Join(at, "saved"), logs: filepath.Join(at, "logs"),
		home: filepath.Join(at, "home"),
		fail: make(chan error, 1), ready: map[*scenario]*prepared{}, stop: func() {}, proxies: map[bool]*proxy{},
	}
	for _, dir := range []string{w.saved, w.logs, w.home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	for _, secure := range []bool{false, true} {
		p, err := listen(secure)
		if err != nil {
			return nil, err
		}
		w.proxies[secure] = p
	}
	w.turn(scenarios[0])
	return w, nil
}

// turn makes the registry of a scenario that of the worker.
func (w *worker) turn(s *scenario) {
	w.proxy = w.proxies[s.registry == secure]
	w.host = w.proxy.address
}

// prepare makes the directory of a scenario and runs its command without a fault.
func (w *worker) prepare(s *scenario) *prepared {
	if p := w.ready[s]; p != nil {
		return p
	}
	p := &prepared{}
	w.empty()
	w.turn(s)
	w.clearTemp()
	host := ""
	if s.registry != "" {
		stop, err := w.serve(s.registry)
		w.must(err)
		w.stop = stop
		w.must(seed(w.host))
		host = w.host
	}
	w.must(writeProduct(filepath.Join(w.dir, "src"), host))
	for _, step := range s.before {
		w.step(step)
	}
	w.clearTemp()
	w.must(age(w.dir))
	if n := len(s.before); n > 0 && s.before[n-1] == s.command {
		w.step(s.command) // remembers the files that it trusts now
	}
	w.clearTemp()
	w.must(copyTree(filepath.Join(w.saved, s.name), w.dir))
	if s.registry != "" && s.registry != debian {
		p.content = crawl(w.proxy.backend(), w.proxy.pushed)
	}
	w.ready[s] = p
	w.restore(s)
	o := w.run(s.command)
	if o.code != 0 {
		w.must(fmt.Errorf("undisturbed, slipway %s ends with %d:\n%s", s.command, o.code, o.stderr))
	}
	p.took, p.stdout = o.took, o.stdout
	golden, err := look(w.dir)
	w.must(err)
	p.golden = golden
	if s.registry != "" {
		c := crawl(w.proxy.backend(), nil)
		p.tags = c.tags
		w.sound(s, c.bad)
	}
	w.sound(s, append(checkStore(w.dir), golden.sums(w.dir)...))
	if _, ok := golden["out/SHA256SUMS"]; ok {
		cmd := exec.CommandContext(context.Background(), "sha256sum", "-c", "--strict", "--quiet", "SHA256SUMS")
		cmd.Dir = filepath.Join(w.dir, "out")
		var out []byte
		if apart(func() { out, err = cmd.CombinedOutput() }); err != nil {
			w.sound(s, []string{string(out)})
		}
	}
	// each case reports these
	maps.DeleteFunc(p.golden, func(name string, _ file) bool { return top(name) == "tmp" })
	return p
}

// sound ends the suite where not even an undisturbed run is right.
func (w *worker) sound(s *scenario, wrong []string) {
	if len(wrong) > 0 {
		w.must(fmt.Errorf("undisturbed, slipway %s: %s", s.command, strings.Join(wrong, "\n")))
	}
}

// step does what comes before a scenario's command.
func (w *worker) step(step string) {
	if step == "edit" {
		w.must(edit(filepath.Join(w.dir, "src")))
		return
	}
	if step == "others" {
		w.must(os.CopyFS(filepath.Join(w.dir, "out"), os.DirFS("testdata/others")))
		return
	}
	if f := strings.Fields(step); f[0] == "mv" {
		w.must(os.Rename(filepath.Join(w.dir, f[1]), filepath.Join(w.dir, f[2])))
		return
	}
	path, kept := strings.CutPrefix(step, "save ")
	if kept {
		path, step, _ = strings.Cut(path, " ")
	}
	o := w.run(step)
	if kept {
		w.must(os.WriteFile(filepath.Join(w.dir, path), []byte(o.stdout), 0o644))
	}
	if o.code != 0 {
		w.must(fmt.Errorf("preparing: slipway %s ends with %d:\n%s", step, o.code, o.stderr))
	}
}

// clearTemp empties the directory for temporary files, but keeps it.
func (w *worker) clearTemp() {
	w.must(os.RemoveAll(filepath.Join(w.dir, "tmp")))
	w.must(os.MkdirAll(filepath.Join(w.dir, "tmp"), 0o755))
}

// edit makes another version of the product.
func edit(src string) error {
	if err := replace(filepath.Join(src, "slipway.yaml"), "version: 1.0.0", "version: 1.0.1"); err != nil {
		return err
	}
	return replace(filepath.Join(src, "cmd", "tiny", "main.go"), `"tiny"`, `"tinier"`)
}

func (w *worker) empty() {
	w.stop()
	w.stop = func() {}
	w.proxy.heal()
	w.must(os.RemoveAll(w.dir))
}

// restore makes the directory and the registry as they are before the scenario's command.
func (w *worker) restore(s *scenario) *prepared {
	p := w.prepare(s)
	w.empty()
	w.turn(s)
	w.must(copyTree(w.dir, filepath.Join(w.saved, s.name)))
	if s.registry != "" {
		stop, err := w.serve(s.registry)
		w.must(err)
		w.stop = stop
		p.content.fill(w.proxy.backend())
	}
	return p
}

// compare reports what is not as after an undisturbed run; leftovers and the inside of the store
// are not looked at.
func (w *worker) compare(s *scenario, o outcome) []string {
	p := w.ready[s]
	t, err := look(w.dir)
	w.must(err)
	all := append(t.differs(p.golden), t.sums(w.dir)...)
	if s.stdout && o.stdout != p.stdout {
		all = append(all, "it prints something else")
	}
	if s.registry != "" {
		c := crawl(w.proxy.backend(), nil)
		all = append(all, c.bad...)
		for _, ref := range slices.Sorted(maps.Keys(p.tags)) {
			if c.tags[ref] != p.tags[ref] {
				all = append(all,
					fmt.Sprintf("registry: %s is %q; undisturbed it is %s", ref, c.tags[ref], p.tags[ref]))
			}
		}
	}
	return all
}

// fault is a case: what happens to which command.
type fault struct {
	kind     string
	name     string
	scenario *scenario
	// strike runs the scenario's command and does the fault to it.
	strike func(w *worker, r *rand.Rand) outcome
	// heals marks a fault that passes, so that the command must succeed all the same.
	heals bool
	// messy marks a case that makes other files as well.
	messy bool
	// mend takes the fault away before the next run, and may find the case to be worse than it was.
	mend func(w *worker, o outcome, r *result)
}

// result is what a case showed.
type result struct {
	verdict verdict
	why     []string
	left    []string
	bytes   int64
	outcome outcome
}

// census counts what the cases of a scenario number: the calls that change something in its
// directory, the other calls, the requests to its registry, and the files of its directories.
type census struct {
	calls    map[string]int // by name, and under "" those of changing
	requests int
	files    map[string]map[string]int // by directory and class
}

// surveyed has a census of every scenario.
var surveyed = map[*scenario]census{}

func (w *worker) count(s *scenario) census {
	w.restore(s)
	c := census{calls: map[string]int{}, files: map[string]map[string]int{}}
	for _, dir := range []string{"store", "out", s.input} {
		c.files[dir] = map[string]int{}
		for class, paths := range w.classes(dir) {
			c.files[dir][class] = len(paths)
		}
	}
	w.proxy.disturb(nil)
	o := w.begin(s.command, w.tracer(slices.Sorted(maps.Keys(argument)), func(_ int, k call) action {
		c.calls[k.name]++
		if slices.Contains(changing, k.name) {
			c.calls[""]++
		}
		return action{}
	})).wait()
	if o.code != 0 {
		w.must(fmt.Errorf("traced, slipway %s ends with %d:\n%s", s.command, o.code, o.stderr))
	}
	c.requests = w.proxy.heal()
	return c
}

// tracer decides about calls on paths in the worker's directory, except in the registry's storage.
func (w *worker) tracer(calls []string, on func(n int, c call) action) *tracer {
	return &tracer{calls: calls, under: w.dir, on: on}
}

// worse makes the verdict at least as bad as v.
func (r *result) worse(v verdict, why ...string) {
	r.verdict = max(r.verdict, v)
	r.why = append(r.why, why...)
}

// try tries a case.
func (w *worker) try(f fault, r *rand.Rand) (res result) {
	p := w.restore(f.scenario)
	o := f.strike(w, r)
	res.outcome = o
	w.proxy.heal()
	w.first(f, o, &res)
	if f.mend != nil {
		f.mend(w, o, &res)
	}
	if !f.scenario.once || o.code != 0 {
		again := w.run(f.scenario.command)
		switch all := w.compare(f.scenario, again); {
		case again.hung:
			res.worse(hung, "the next run does not end")
		case again.code != 0:
			res.worse(lost, fmt.Sprintf("the next run ends with %d: %s", again.code, again.stderr))
		case len(all) > 0:
			res.worse(lost, append([]string{"after the next run"}, all...)...)
		}
	}
	if all := checkStore(w.dir); len(all) > 0 {
		res.worse(lost, all...)
	}
	t, err := look(w.dir)
	w.must(err)
	if f.scenario.scratch {
		maps.DeleteFunc(t, func(name string, _ file) bool { return scratch.MatchString(name) })
	}
	if !f.messy && !f.scenario.keeps {
		res.left, res.bytes = t.leftovers(p.golden)
	}
	return res
}

// first judges the run with the fault.
func (w *worker) first(f fault, o outcome, res *result) {
	switch {
	case o.hung:
		res.worse(hung, "it does not end")
	case o.told && o.ending > ending:
		res.worse(hung, fmt.Sprintf("it ends %v after the signal", o.ending))
	case o.killed:
	case o.told && o.code == -1 && o.stderr == "": // the signal came before the program had begun
	case len(o.wrong) > 0:
		res.worse(wrong, o.wrong...)
	case o.code == 0 && o.judged:
	case o.code == 0:
		all := slices.DeleteFunc(w.compare(f.scenario, o), func(why string) bool {
			// what was damaged need not be read
			return f.scenario.input != "" && strings.HasPrefix(why, f.scenario.input+" ")
		})
		if len(all) > 0 {
			res.worse(wrong, append([]string{"it succeeds"}, all...)...)
		}
	default:
		res.worse(said)
		if why := unclear(o); why != "" {
			res.worse(wrong, why)
		}
		if f.heals {
			res.worse(wrong, "it fails by a fault that passes")
		}
	}
}
