package explore

import (
	"flag"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var long = flag.Duration("time", 40*time.Second, "how long to walk")

// TestExplore walks. The number of a failing walk is printed by rapid, with the way to repeat it.
func TestExplore(t *testing.T) {
	t.Parallel()
	end := time.Now().Add(*long)
	var failed atomic.Bool
	walks := 0
	rapid.Check(t, func(rt *rapid.T) {
		if !failed.Load() && time.Now().After(end) {
			return // a failure is shrunk although the time is up
		}
		walks++
		defer func() {
			if rt.Failed() {
				failed.Store(true)
			}
		}()
		walk(rt)
	})
	t.Logf("%d walks", walks)
	tell(t)
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
}
