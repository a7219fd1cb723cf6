//go:build linux && amd64

package torture

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// tally counts what the cases of each kind showed.
type tally struct {
	mu   sync.Mutex
	rows map[string]*row // by kind
}

type row struct {
	faults int
	counts [verdicts]int
	left   int
	bytes  int64
}

func (t *tally) add(kind string, r result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rows[kind] == nil {
		t.rows[kind] = &row{}
	}
	row := t.rows[kind]
	row.faults++
	row.counts[r.verdict]++
	row.left += len(r.left)
	row.bytes += r.bytes
}

var columns = []verdict{right, said, wrong, lost, hung}

// String is a table in Markdown.
func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	var names []string
	for _, v := range columns {
		names = append(names, verdictNames[v])
	}
	fmt.Fprintf(&b, "| | faults | %s | left over |\n|---|--:|%s--:|\n", strings.Join(names, " | "),
		strings.Repeat("--:|", len(names)))
	var sum row
	for _, kind := range kindOrder {
		r := t.rows[kind]
		if r == nil {
			continue
		}
		fmt.Fprint(&b, r.line(kind))
		sum.faults, sum.left, sum.bytes = sum.faults+r.faults, sum.left+r.left, sum.bytes+r.bytes
		for v := range r.counts {
			sum.counts[v] += r.counts[v]
		}
	}
	fmt.Fprint(&b, sum.line("all"))
	return b.String()
}

func (r *row) line(kind string) string {
	line := fmt.Sprintf("| %s | %d |", kind, r.faults)
	for _, v := range columns {
		line += fmt.Sprintf(" %d |", r.counts[v])
	}
	left := fmt.Sprintf("%d bytes", r.bytes)
	if r.left > 0 {
		left = fmt.Sprintf("%d files, %d bytes", r.left, r.bytes)
	}
	return line + " " + left + " |\n"
}

// writePage puts the table into a page, between two marks.
func writePage(path, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const begin, end = "<!-- table -->\n", "<!-- end -->\n"
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for the table", path)
	}
	return os.WriteFile(path, []byte(before+begin+text+end+after), 0o644)
}
