//go:build linux

package explore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// counts says what walks have drawn. Runs that write to one file add to what it has.
type counts struct {
	Seeds    []int          `json:"seeds"`
	Walks    int            `json:"walks"`
	Released int            `json:"released"` // walks whose product can be released
	Seconds  int            `json:"seconds"`
	Commands map[string]int `json:"commands"` // "airgap push"
	Exits    map[string]int `json:"exits"`    // "airgap push 0"
	Flags    map[string]int `json:"flags"`    // "airgap push -to"
	Keys     map[string]int `json:"keys"`     // "images[].name"
	Steps    map[string]int `json:"steps"`
}

var (
	counting sync.Mutex
	spent    = map[string]time.Duration{} // on each command
	tally    = counts{
		Commands: map[string]int{}, Exits: map[string]int{}, Flags: map[string]int{},
		Keys: map[string]int{}, Steps: map[string]int{},
	}
)

// counted counts a command with its flags.
func counted(args []string, code int, took time.Duration) {
	counting.Lock()
	defer counting.Unlock()
	name := commandOf(args)
	tally.Commands[name]++
	spent[name] += took
	tally.Exits[fmt.Sprintf("%s %d", name, code)]++
	for _, a := range args {
		if f := flagOf(a); f != "" {
			tally.Flags[name+" -"+f]++
		}
	}
}

// countedStep counts a step of a walk.
func countedStep(name string) {
	counting.Lock()
	defer counting.Unlock()
	tally.Steps[name]++
}

// countedProduct counts a walk and the keys of its product.
func countedProduct(p *product) {
	s, err := readSchema()
	if err != nil {
		panic(err)
	}
	counting.Lock()
	defer counting.Unlock()
	tally.Walks++
	keys(p.yaml, "", s, tally.Keys)
}

// countedRelease counts a walk whose product can be released.
func countedRelease() {
	counting.Lock()
	defer counting.Unlock()
	tally.Released++
}

// saveCounts adds what this run has drawn to a file.
func saveCounts(t *testing.T, path string, seeds []int, took time.Duration) {
	t.Helper()
	var was counts
	if text, err := os.ReadFile(path); err == nil {
		must(t, json.Unmarshal(text, &was))
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	counting.Lock()
	defer counting.Unlock()
	tally.Seeds = slices.Concat(was.Seeds, seeds)
	tally.Walks += was.Walks
	tally.Released += was.Released
	tally.Seconds = was.Seconds + int(took.Seconds())
	for _, m := range [][2]map[string]int{
		{tally.Commands, was.Commands},
		{tally.Exits, was.Exits},
		{tally.Flags, was.Flags},
		{tally.Keys, was.Keys},
		{tally.Steps, was.Steps},
	} {
		for k, n := range m[1] {
			m[0][k] += n
		}
	}
	text, err := json.MarshalIndent(tally, "", "  ")
	must(t, err)
	must(t, os.WriteFile(path, append(text, '\n'), 0o600))
}

// tell logs what was drawn least.
func tell(t *testing.T) {
	t.Helper()
	counting.Lock()
	defer counting.Unlock()
	for _, name := range slices.Sorted(maps.Keys(tally.Exits)) {
		t.Logf("%5d %s", tally.Exits[name], name)
	}
	for _, name := range slices.SortedFunc(maps.Keys(spent), func(a, b string) int {
		return int(spent[b] - spent[a])
	})[:min(5, len(spent))] {
		t.Logf("%s took %s in all", name, spent[name].Round(time.Second))
	}
	var never []string
	for name, flags := range commands() {
		for _, f := range flags {
			if at := name + " -" + f; tally.Flags[at] == 0 && notRun[name] == "" && notRun[at] == "" {
				never = append(never, at)
			}
		}
	}
	slices.Sort(never)
	t.Logf("%d of %d products could be released", tally.Released, tally.Walks)
	t.Logf("not drawn in this run: %s", strings.Join(never, ", "))
}
