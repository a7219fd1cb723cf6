package forge

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	long = flag.Duration("time",
		0, "give all forgeries to all consumers, and then combine them at random for this long")
	seeded = flag.Uint64("seed", uint64(time.Now().YearDay()),
		"which forgeries that were refused go to consumers, and where random combinations begin; another one each day")
	only    = flag.String("case", "", "only forgeries whose FAMILY/NAME matches this expression")
	workers = flag.Int("workers", runtime.NumCPU(), "how many forgeries to try at the same time")
	update  = flag.Bool("update", false, "give all forgeries to all consumers and write docs/results/forgeries.md")
)

// sample is how many forgeries that were refused go to consumers when there is no -time.
const sample = 12

// result is what became of a mechanism.
type result struct {
	family, name string
	accepted     []string // forms that slipway accepts
	wrong        []string // and what consumers then have that is not signed
	otherwise    map[string]string
}

// suite is one run.
type suite struct {
	t                 *testing.T
	w                 *world
	readers, programs []taker
	signed            map[string]map[string]held // by version and consumer
}

// choice is a mechanism to try.
type choice struct {
	family    string
	mechanism mechanism
	refused   whom // who is asked even if it is refused
}

// TestForge makes every forgery. What slipway accepts, consumers must read as the release that was
// signed.
func TestForge(t *testing.T) {
	w := newWorld(t)
	s := &suite{t: t, w: w, readers: w.readers(), programs: w.programs(t)}
	s.baseline()
	began := time.Now()
	refused := nobody
	switch {
	case *long > 0:
		refused = first
	case *update:
		refused = quick
	}
	wanted := regexp.MustCompile(*only)
	var chosen []choice
	count := 0
	for _, f := range families() {
		for _, m := range f.list {
			if count++; wanted.MatchString(f.name + "/" + m.name) {
				chosen = append(chosen, choice{f.name, m, refused})
			}
		}
	}
	for n, at := range rand.New(rand.NewPCG(*seeded, 0)).Perm(len(chosen)) {
		if n < sample && !*update {
			chosen[at].refused = first
		}
	}
	var jobs []func() result
	for _, c := range chosen {
		jobs = append(jobs, func() result { return s.try(c.family, c.mechanism, c.refused) })
	}
	results := s.all(jobs)
	s.report(results)
	if *lines != "" {
		list(t, results)
	}
	if *only == "" {
		s.page(results, *update)
	}
	if *long > 0 {
		more := s.combine(began.Add(*long))
		s.report(more)
		t.Logf("%d combinations", len(more))
	}
	t.Logf("%d mechanisms of %d, %v, seed %d", len(results), count, time.Since(began).Round(time.Second), *seeded)
}

// all does the jobs on all processors.
func (s *suite) all(jobs []func() result) []result {
	results := make([]result, len(jobs))
	var wg sync.WaitGroup
	next := make(chan int)
	for range *workers {
		wg.Go(func() {
			for n := range next {
				results[n] = jobs[n]()
			}
		})
	}
	for n := range jobs {
		next <- n
	}
	close(next)
	wg.Wait()
	return results
}

// baseline asks every consumer for what it has of the releases themselves.
func (s *suite) baseline() {
	s.t.Helper()
	s.signed = map[string]map[string]held{}
	for _, version := range []string{oldDir, newDir} {
		s.signed[version] = map[string]held{}
		for _, c := range slices.Concat(s.readers, s.programs) {
			h, err := s.take(c, s.w.path(version, bundle))
			if len(h) == 0 {
				s.t.Fatalf("%s has nothing of %s: %v", c.name, version, err)
			}
			s.signed[version][c.name] = h
		}
	}
}

func (s *suite) take(c taker, path string) (held, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	return c.take(ctx, path)
}

// verified finds the version that slipway says it has verified.
var verified = regexp.MustCompile(`(?m)^verified: (?:hello|plain) (\S+) `)

// try makes a mechanism and judges its forms. Programs are asked about what is
// accepted, and those that refused selects about what is refused.
func (s *suite) try(family string, m mechanism, refused whom) result {
	r := result{family: family, name: m.name, otherwise: map[string]string{}}
	var list []forgery
	f := &forger{t: s.t, w: s.w, dir: filepath.Join(s.t.TempDir(), "f")}
	if err := safely(func() { list = m.forgeries(f) }); err != nil {
		s.t.Errorf("%s/%s: %v", family, m.name, err)
	}
	for _, f := range list {
		said, err := s.w.command(s.t, f.door...)
		version := newDir
		if v := verified.FindStringSubmatch(said); v != nil {
			version = v[1]
		}
		if *verbose {
			s.t.Logf("%s/%s %s: %v %s", family, m.name, f.form, err, strings.TrimSpace(said))
		}
		if err != nil {
			said = ""
		}
		found := s.read(f, said, version, s.whom(refused, err == nil, r))
		maps.Copy(r.otherwise, found)
		if err == nil {
			r.accepted = append(r.accepted, f.form)
			for _, c := range slices.Sorted(maps.Keys(found)) {
				r.wrong = append(r.wrong, fmt.Sprintf("%s: %s: %s", f.form, c, found[c]))
			}
		}
	}
	return r
}

var lines = flag.String("lines", "", "write a line for each mechanism to this file")

var verbose = flag.Bool("verbose", false, "log what slipway says")

// whom says which programs are asked, besides readers.
type whom int

const (
	nobody whom = iota
	quick       // those that answer at once, until one of them reads the forgery otherwise
	first       // all, until one of them does
	everybody
)

func (s *suite) whom(refused whom, accepted bool, r result) whom {
	switch {
	case accepted:
		return everybody
	case !s.program(r.otherwise):
		return refused
	}
	return nobody
}

// program reports whether a program, or RKE2's reader, is among those that read a forgery
// otherwise.
func (s *suite) program(found map[string]string) bool {
	return found["wharfie"] != "" || slices.ContainsFunc(s.programs, func(c taker) bool { return found[c.name] != "" })
}

// read returns what consumers have that is not of a version.
func (s *suite) read(f forgery, said, version string, w whom) map[string]string {
	found := map[string]string{}
	if f.reads != nil {
		maps.Copy(found, f.reads(said))
	}
	ask := slices.Clone(s.readers)
	if w != nobody {
		ask = append(ask, s.programs...)
	}
	signed, ok := s.signed[version]
	if !ok {
		signed = s.signed[newDir]
	}
	for _, path := range f.takes {
		for n, c := range ask {
			if c.name == allFields && !f.fields {
				continue
			}
			if w == quick && c.slow {
				continue
			}
			if w != everybody && n >= len(s.readers) && s.program(found) {
				break
			}
			at := time.Now()
			h, _ := s.take(c, path) // what it has by then counts
			if *verbose {
				s.t.Logf("%s took %v", c.name, time.Since(at).Round(time.Millisecond))
			}
			for _, name := range slices.Sorted(maps.Keys(h)) {
				if h[name] != signed[c.name][name] {
					found[c.name] = fmt.Sprintf("%s is %.100s, signed is %.100s", name, h[name], signed[c.name][name])
				}
			}
		}
	}
	return found
}

// report fails for what is accepted and different.
func (s *suite) report(results []result) {
	s.t.Helper()
	wrong := 0
	for _, r := range results {
		if len(r.wrong) > 0 {
			wrong++
			s.t.Errorf("accepted and different: %s/%s: %s, and %d more", r.family, r.name, r.wrong[0], len(r.wrong)-1)
		}
	}
	s.t.Logf("accepted and different: %d of %d", wrong, len(results))
}

// list writes what became of each mechanism, for who looks for mistakes of the forger.
func list(t *testing.T, results []result) {
	t.Helper()
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintf(&b, "%s | %s | %s | %d wrong | %s\n", r.family, r.name, strings.Join(r.accepted, " "), len(r.wrong),
			strings.Join(slices.Sorted(maps.Keys(r.otherwise)), ", "))
	}
	put(t, *lines, []byte(b.String()))
}
