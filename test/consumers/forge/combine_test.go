package forge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// combine makes forgeries of two to four mechanisms each, until the time is up.
func (s *suite) combine(until time.Time) (results []result) {
	var tars, frames []mechanism
	for _, f := range families() {
		for _, m := range f.list {
			switch {
			case m.tar != nil:
				tars = append(tars, m)
			case m.zstd != nil:
				frames = append(frames, m)
			}
		}
	}
	random := rand.New(rand.NewPCG(*seeded, 1))
	for time.Now().Before(until) {
		var jobs []func() result
		for range 20 {
			var list []mechanism
			for range 1 + random.IntN(3) {
				list = append(list, tars[random.IntN(len(tars))])
			}
			list = append(list, frames[random.IntN(len(frames))])
			jobs = append(jobs, func() result { return s.try("combined", combined(list), nobody) })
		}
		results = append(results, s.all(jobs)...)
	}
	return results
}

// combined does one mechanism after the other to a tar, and the last to its frames.
func combined(list []mechanism) mechanism {
	var names []string
	for _, m := range list {
		names = append(names, m.name)
	}
	last := len(list) - 1
	return mechanism{name: strings.Join(names, " + "), make: func(f *forger) (all []forgery) {
		a := f.w.all.clone()
		for _, m := range list[:last] {
			changed := a.clone()
			if err := safely(func() { m.tar(changed) }); err == nil {
				a = changed // otherwise one excludes the other
			}
		}
		all = f.forms(a)
		err := safely(func() {
			fr := a.framed()
			list[last].zstd(fr)
			all = append(all, f.bundle("frames", fr.bytes()))
		})
		if err != nil && *verbose {
			fmt.Println(err)
		}
		return all
	}}
}
