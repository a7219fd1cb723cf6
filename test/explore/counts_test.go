package explore

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// counts says how often each command and flag was drawn in this run.
var counts = struct {
	sync.Mutex
	of map[string]int
}{of: map[string]int{}}

// counted counts a command with its flags.
func counted(args []string, code int) {
	counts.Lock()
	defer counts.Unlock()
	name := commandOf(args)
	counts.of[name]++
	counts.of[fmt.Sprintf("%s → %d", name, code)]++
	for _, a := range args {
		if f := flagOf(a); f != "" {
			counts.of[name+" -"+f]++
		}
	}
}

// tell logs the counts.
func tell(t *testing.T) {
	counts.Lock()
	defer counts.Unlock()
	for name, n := range counts.of {
		if strings.Contains(name, "→") {
			t.Logf("%5d %s", n, name)
		}
	}
}
