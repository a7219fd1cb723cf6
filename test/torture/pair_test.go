//go:build linux && amd64

package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pairs runs another command at the same time as that of a scenario. Each may succeed or end with
// a clear error; when both have succeeded, the outputs are those of one of them.
func pairs() (cases []fault) {
	const foreign = "release -q -binary=false -product=foreign/slipway.yaml -store=other -out=out"
	next := "release -q -binary=false -product=next/slipway.yaml -out=out"
	for _, p := range []struct {
		scenario, other string
		either          string // a scenario whose outputs are as right
	}{
		{"release", next + " -store=other", "release-edited"},
		{"release-again", next + " -store=other", "release-edited"},
		{"release", next + " -store=store", "release-edited"},
		{"release", stored, ""},
		{"release-again", "airgap pack -q" + files, ""},
		{"release-again", "stage publish -q" + files, ""},
		{"pack", "airgap pack -q" + files, ""},
		{"pack", "store clean" + files, ""},
		{"release-again", "store clean" + files, ""},
		{"release-to", stored + shipto, ""},
		{"publish-to", "stage publish -q" + files + shipto, ""},
		{"push", find("push").command, ""},
		{"split", find("split").command, ""},
		{"split", find("split-again").command, "split-again"},
		{"extract", find("extract").command, ""},
		{"apply", find("apply").command, ""},
		{"bases", lock, ""},
		{"bases", "doctor -product=src/slipway.yaml -store=other -out=tmp", ""}, // locks TMPDIR
		{"release", foreign, ""},
		{"release-again", foreign, ""},
		{"mirror-config", find("mirror-config").command, ""},
	} {
		s := find(p.scenario)
		for n := range 4 {
			cases = append(cases, fault{
				kind: "at once", scenario: s,
				name:   fmt.Sprintf("%s/%s-%d", s.name, strings.Map(safe, p.other), n+1),
				strike: func(w *worker, r *rand.Rand) outcome { return w.both(s, p.other, p.either, r) },
				// The other product has a store of its own, or leaves its work in this one.
				messy: strings.Contains(p.other, "-store=other") || strings.Contains(p.other, "next/"),
				mend: func(w *worker, o outcome, _ *result) {
					w.must(os.RemoveAll(filepath.Join(w.dir, "next")))
					if o.code != 0 && p.other == foreign { // it was first
						w.follow(s, o.stderr)
					}
					if strings.HasPrefix(p.other, "store clean") {
						w.restore(s) // there is nothing to go on from
					}
				},
			})
		}
	}
	return cases
}

// both runs two commands and judges what they leave together.
func (w *worker) both(s *scenario, other, either string, r *rand.Rand) outcome {
	if either != "" {
		w.prepare(find(either))
		w.restore(s)
	}
	if strings.Contains(other, "next/") {
		w.must(copyTree(filepath.Join(w.dir, "next"), filepath.Join(w.dir, "src")))
		w.must(edit(filepath.Join(w.dir, "next")))
	}
	if strings.Contains(other, "foreign/") { // another product
		w.must(copyTree(filepath.Join(w.dir, "foreign"), filepath.Join(w.dir, "src")))
		w.must(replace(filepath.Join(w.dir, "foreign", "slipway.yaml"), "\nname: tiny", "\nname: foreign"))
	}
	a := w.begin(s.command, nil)
	time.Sleep(time.Duration(r.Float64() * float64(w.ready[s].took)))
	b := w.begin(other, nil)
	oa, ob := a.wait(), b.wait()
	switch {
	case ob.hung:
		oa.hung = true
	case ob.code != 0:
		if why := unclear(ob); why != "" {
			oa.wrong = append(oa.wrong, "the other run: "+why+": "+ob.stderr)
		}
	}
	oa.judged = true
	if oa.code != 0 || strings.HasPrefix(other, "store clean") {
		return oa
	}
	all := w.compare(s, oa)
	if len(all) > 0 && either != "" {
		t, err := look(w.dir)
		w.must(err)
		if len(t.outputs().differs(w.ready[find(either)].golden.outputs())) == 0 {
			all = t.sums(w.dir)
		}
	}
	// they take the checksums away
	if strings.HasPrefix(other, "stage publish") || strings.HasPrefix(other, "airgap pack") {
		all = slices.DeleteFunc(all, func(s string) bool { return s == "out/SHA256SUMS is missing" })
	}
	if ob.code == 0 || strings.Contains(other, "foreign/") {
		oa.wrong = append(oa.wrong, all...)
	}
	return oa
}

func safe(r rune) rune {
	if r == ' ' || r == '/' {
		return '_'
	}
	return r
}
