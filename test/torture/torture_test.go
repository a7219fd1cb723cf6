//go:build linux && amd64

package torture

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

var (
	long    = flag.Duration("time", 0, "try all cases, and then others, for this long; 0 tries a sample")
	seeded  = flag.Uint64("seed", 1, "where the random choices begin")
	only    = flag.String("case", "", "only cases whose name matches this expression")
	page    = flag.String("page", "", "write the table into this page")
	workers = flag.Int("workers", runtime.NumCPU(), "how many cases to try at the same time")
	listing = flag.Bool("list", false, "list the cases")
)

// sample is how long the sample may take at most, and how many cases of a kind there are in it.
const (
	sample  = 150 * time.Second
	perKind = 40
)

// ending is how long a run may go on after a signal. The promise is ten seconds, on a machine
// that does nothing else.
const ending = 30 * time.Second

var kindOrder = []string{
	"damage", "kill", "signal", "network", "early answer", "system call", "disk",
	"at once", "clock",
}

var (
	slipway       string   // the program
	goEnvironment []string // where the go command keeps things
)

func TestMain(m *testing.M) {
	if os.Getenv(launchVariable) != "" {
		launch()
	}
	extent.Suite("Linux on amd64, and some minutes")
	os.Exit(m.Run())
}

// build compiles slipway as it is released.
func build(t *testing.T, dir string) {
	t.Helper()
	var err error
	if slipway, err = testprog.Slipway(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := secureRegistries(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		goEnvironment = append(goEnvironment, name+"="+strings.TrimSpace(string(out)))
	}
}

// TestTorture tries the cases and fails where one is wrong, cannot be resumed, hangs or leaves
// something behind.
func TestTorture(t *testing.T) {
	base := t.TempDir()
	build(t, base)
	withDebian := false
	t.Run("docker-registry", func(t *testing.T) {
		testprog.Need(t, "registry")
		withDebian = true
	})
	var all []*worker
	for n := range *workers {
		w, err := newWorker(base, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range w.proxies {
			defer p.refuse()
		}
		defer func() { w.stop() }()
		all = append(all, w)
	}
	began := time.Now()
	cases := survey(t, all, withDebian)
	t.Logf("%d cases, %v", len(cases), time.Since(began).Round(time.Second))
	if *listing {
		for _, f := range cases {
			t.Log(f.kind + "/" + f.name)
		}
		return
	}
	s := suite{t: t, counts: tally{rows: map[string]*row{}}, until: time.Now().Add(max(*long, sample))}
	for round := uint64(0); ; round++ {
		s.seed = *seeded + round
		s.round(all, pick(cases, s.seed))
		if *long == 0 || *only != "" || time.Now().After(s.until) {
			break
		}
	}
	fmt.Printf("\n%s\n", &s.counts)
	t.Logf("%v in all", time.Since(began).Round(time.Second))
	if s.skipped > 0 {
		t.Logf("the time was up before %d of the cases", s.skipped)
	}
	if *page != "" {
		if err := writePage(*page, stamp(t, s.seed)+s.counts.String()); err != nil {
			t.Error(err)
		}
	}
}

// stamp says when and of what the table is.
func stamp(t *testing.T, seed uint64) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s, commit %s, seeds %d to %d, %v on %d processors:\n\n", time.Now().UTC().Format("2006-01-02"),
		strings.TrimSpace(string(out)), *seeded, seed, *long, runtime.NumCPU())
}

// survey runs every command once by some worker and makes the list of all cases.
func survey(t *testing.T, all []*worker, withDebian bool) (cases []fault) {
	t.Helper()
	var mu sync.Mutex
	left := slices.Clone(scenarios)
	each(t, all, func(w *worker) bool {
		mu.Lock()
		for len(left) > 0 && left[0].registry == debian && !withDebian {
			left = left[1:]
		}
		if len(left) == 0 {
			mu.Unlock()
			return false
		}
		s := left[0]
		left = left[1:]
		mu.Unlock()
		c := w.count(s)
		mu.Lock()
		defer mu.Unlock()
		surveyed[s] = c
		return true
	})
	for _, kind := range []func() []fault{damages, kills, signals, networks, early, failures, disks, pairs, clocks} {
		for _, f := range kind() {
			if _, ok := surveyed[f.scenario]; ok && (f.scenario.only == "" || f.scenario.only == f.kind) {
				cases = append(cases, f)
			}
		}
	}
	return cases
}

// each lets all workers work until there is nothing left to do. What the suite itself cannot go
// on with ends the test.
func each(t *testing.T, all []*worker, work func(w *worker) bool) {
	t.Helper()
	var wg sync.WaitGroup
	for _, w := range all {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					known, ok := p.(problem)
					if !ok {
						panic(p)
					}
					t.Error(known.error)
				}
			}()
			for work(w) {
				select {
				case err := <-w.fail:
					t.Error(err)
				default:
				}
			}
		})
	}
	wg.Wait()
}

// pick shuffles the cases and returns those that are wanted.
func pick(cases []fault, seed uint64) (picked []fault) {
	var wanted *regexp.Regexp
	if *only != "" {
		wanted = regexp.MustCompile(*only)
	}
	count := map[string]int{}
	for _, n := range rand.New(rand.NewPCG(seed, 0)).Perm(len(cases)) {
		f := cases[n]
		if wanted != nil && !wanted.MatchString(f.kind+"/"+f.name) ||
			wanted == nil && *long == 0 && count[f.kind] == perKind {
			continue
		}
		count[f.kind]++
		picked = append(picked, f)
	}
	return picked
}

// suite is one call of TestTorture.
type suite struct {
	t       *testing.T
	counts  tally
	seed    uint64
	until   time.Time
	skipped int
}

// round tries cases by all workers. A worker takes one whose scenario it has ready, if there is
// one.
func (s *suite) round(all []*worker, cases []fault) {
	var mu sync.Mutex
	take := func(w *worker) (fault, bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(cases) == 0 || time.Now().After(s.until) {
			s.skipped += len(cases)
			cases = nil
			return fault{}, false
		}
		at := max(0, slices.IndexFunc(cases, func(f fault) bool { return w.ready[f.scenario] != nil }))
		f := cases[at]
		cases = slices.Delete(cases, at, at+1)
		return f, true
	}
	each(s.t, all, func(w *worker) bool {
		f, ok := take(w)
		if ok {
			s.one(w, f)
		}
		return ok
	})
}

// one tries a case and reports what is bad about it.
func (s *suite) one(w *worker, f fault) {
	h := fnv.New64()
	h.Write([]byte(f.kind + "/" + f.name))
	r := w.try(f, rand.New(rand.NewPCG(s.seed, h.Sum64())))
	s.counts.add(f.kind, r)
	if r.verdict <= said && len(r.left) == 0 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s/%s\n", verdictNames[r.verdict], f.kind, f.name)
	for _, text := range r.why {
		fmt.Fprintf(&b, "  %s\n", text)
	}
	for n, name := range r.left {
		if n == 5 {
			fmt.Fprintf(&b, "  and %d more\n", len(r.left)-n)
			break
		}
		fmt.Fprintf(&b, "  left over: %s\n", name)
	}
	for n, c := range r.outcome.hits {
		if n == 3 {
			break
		}
		fmt.Fprintf(&b, "  fault: %s\n", strings.TrimPrefix(strings.ReplaceAll(c.String(), w.dir+"/", ""), " "))
	}
	fmt.Fprintf(&b, "  the run with the fault: slipway %s\n  ended with %d after %v: %s\n", f.scenario.command,
		r.outcome.code, r.outcome.took.Round(time.Millisecond), r.outcome.stderr)
	fmt.Fprintf(&b, "  again: go test ./test/torture -count=1 -seed=%d -case='^%s$'",
		s.seed, regexp.QuoteMeta(f.kind+"/"+f.name))
	s.t.Error(b.String())
}
