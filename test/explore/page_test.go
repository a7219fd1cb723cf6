//go:build linux

package explore

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// writePage replaces the tables of docs/results/explore.md.
func writePage(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	before, rest, ok := strings.Cut(string(text), "<!-- counts -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end of counts -->\n")
	if !ok || !ok2 {
		t.Fatalf("%s has no counts", path)
	}
	must(t, os.WriteFile(path, []byte(before+"<!-- counts -->\n"+tables()+"<!-- end of counts -->\n"+after), 0o600))
}

// tables are the counts in Markdown.
func tables() string {
	counting.Lock()
	defer counting.Unlock()
	commit := "unknown"
	if out, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output(); err == nil {
		commit = strings.TrimSpace(string(out))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, commit %s, seeds %s, %s: %d walks, %d of them with a product that can "+
		"be released, %d commands.\n\n", time.Now().UTC().Format(time.DateOnly), commit, ranges(tally.Seeds),
		time.Duration(tally.Seconds)*time.Second, tally.Walks, tally.Released, sum(tally.Commands))
	b.WriteString("| command | times | exit codes | flags |\n|---|--:|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(commands())) {
		if notRun[name] != "" {
			continue
		}
		var exits, flags []string
		for _, at := range slices.Sorted(maps.Keys(tally.Exits)) {
			if code, ok := strings.CutPrefix(at, name+" "); ok && !strings.Contains(code, " ") {
				exits = append(exits, fmt.Sprintf("%s: %d", strings.Replace(code, "-1", "signal", 1), tally.Exits[at]))
			}
		}
		for _, f := range commands()[name] {
			flags = append(flags, fmt.Sprintf("`%s` %d", f, tally.Flags[name+" -"+f]))
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", name, tally.Commands[name], strings.Join(exits, ", "),
			strings.Join(flags, ", "))
	}
	b.WriteString("\n| key of `slipway.yaml` | products | | key | products |\n|---|--:|---|---|--:|\n")
	s, err := readSchema()
	if err != nil {
		panic(err)
	}
	var all []string
	for _, key := range slices.Sorted(maps.Keys(s.paths)) {
		if notDrawn[key] == "" {
			all = append(all, fmt.Sprintf("`%s` | %d", key, tally.Keys[key]))
		}
	}
	half := (len(all) + 1) / 2
	for n := range half {
		fmt.Fprintf(&b, "| %s | | %s |\n", all[n], append(all, " | ")[half+n])
	}
	b.WriteString("\n| step | times |\n|---|--:|\n")
	for _, name := range slices.Sorted(maps.Keys(tally.Steps)) {
		fmt.Fprintf(&b, "| %s | %d |\n", name, tally.Steps[name])
	}
	return b.String()
}

func sum(of map[string]int) (n int) {
	for _, v := range of {
		n += v
	}
	return n
}

// ranges writes numbers as 1 to 5, 9.
func ranges(of []int) string {
	of = slices.Compact(slices.Sorted(slices.Values(of)))
	var all []string
	for n := 0; n < len(of); {
		m := n
		for m+1 < len(of) && of[m+1] == of[m]+1 {
			m++
		}
		if all = append(all, fmt.Sprint(of[n])); m > n {
			all[len(all)-1] += fmt.Sprintf(" to %d", of[m])
		}
		n = m + 1
	}
	return strings.Join(all, ", ")
}
