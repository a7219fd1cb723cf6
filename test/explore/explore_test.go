//go:build linux

package explore

import (
	"flag"
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var (
	long = flag.Duration("time", 0, "how long to walk; 0 is a few walks")
	seed = flag.Int("seed", 1, "the seed of the first walks")
	save = flag.String("counts", "", "a file of JSON to which counts of what was drawn are added")
	only = flag.String("step", "", "a step; walks have no others")
	page = flag.String("page", "", "the page whose tables are replaced by the counts")
)

// few is the number of walks of one seed.
const few = 8

// TestExplore walks. The walks of a seed are the same each time, so that a change passes or fails
// by itself. With -time it goes on to the next seeds.
func TestExplore(t *testing.T) {
	set(t, "rapid.checks", strconv.Itoa(few))
	began := time.Now()
	var seeds []int
	for n := *seed; n == *seed || time.Since(began) < *long; n++ {
		seeds = append(seeds, n)
		t.Run(fmt.Sprintf("seed %d", n), func(t *testing.T) {
			set(t, "rapid.seed", strconv.Itoa(n))
			rapid.Check(t, walk)
		})
		if t.Failed() {
			break
		}
	}
	tell(t)
	if *save != "" {
		saveCounts(t, *save, seeds, time.Since(began))
	} else {
		tally.Seeds, tally.Seconds = seeds, int(time.Since(began).Seconds())
	}
	if *page != "" && !t.Failed() {
		writePage(t, *page)
	}
}

// set sets a flag of rapid.
func set(t *testing.T, name, value string) {
	t.Helper()
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
}

// TestKeysDrawn: every key of slipway.yaml is drawn in 500 products.
func TestKeysDrawn(t *testing.T) {
	t.Parallel()
	s, err := readSchema()
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]int{}
	for n := range 500 {
		keys(products.Example(n).yaml, "", s, drawn)
	}
	for key := range s.paths {
		if drawn[key] == 0 && notDrawn[key] == "" {
			t.Errorf("no product has %s", key)
		}
		if drawn[key] != 0 && notDrawn[key] != "" {
			t.Errorf("%s is drawn: take it off the list", key)
		}
	}
}

// notDrawn are keys that products do not have, each with the reason.
var notDrawn = map[string]string{
	"programs[].url":    "programs are downloaded over HTTPS only, from addresses that are not this machine's",
	"programs[].sha256": "as programs[].url",

	"images[].dockerfile.builder": "test/builders runs builders, which take seconds for an image",
}
