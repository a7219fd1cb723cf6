package mutants

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Result is how a mutant was looked for.
type Result struct {
	Mutant  string   `json:"mutant"`
	Law     string   `json:"law,omitempty"` // that it breaks; "" if it was not found
	Seed    string   `json:"seed,omitempty"`
	Seconds int      `json:"seconds"`
	Others  []string `json:"others,omitempty"` // laws that are broken without it, too
}

// results is the file of the results so far, and Table that of the documentation.
const (
	results = "test/explore/mutants/results.json"
	Table   = "docs/results/explore-mutants.md"
)

// Results reads the results, by mutant.
func Results(root string) (map[string]Result, error) {
	text, err := os.ReadFile(filepath.Join(root, results))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Result{}, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Result
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", results, err)
	}
	all := map[string]Result{}
	for _, r := range list {
		all[r.Mutant] = r
	}
	return all, nil
}

// Write writes results, and the table of them.
func Write(root string, all map[string]Result) error {
	list := []Result{}
	for _, m := range All {
		if r, ok := all[m.Name]; ok {
			list = append(list, r)
		}
	}
	text, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, results), append(text, '\n'), 0o644); err != nil { //nolint:gosec // it is part of the tree
		return err
	}
	return os.WriteFile(filepath.Join(root, Table), Markdown(all), 0o644) //nolint:gosec // as above
}

// Markdown returns the page with the table.
func Markdown(all map[string]Result) []byte {
	var b strings.Builder
	found, tried := 0, 0
	for n, m := range All {
		r, ok := all[m.Name]
		by, seconds := "not tried", ""
		if ok {
			tried++
			by, seconds = "not found", strconv.Itoa(r.Seconds)
		}
		if r.Law != "" {
			found++
			by = strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(r.Law)
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", n+1, m.Name, m.Fault, by, seconds)
	}
	return []byte(fmt.Sprintf(head, len(All), tried, found) + b.String())
}

// head begins the page, with the numbers of mutants, of those that were tried, and of those
// found.
const head = `# Mutants

[test/explore](../../test/explore) draws products and walks through the commands. To see that it finds
faults, [test/explore/mutants](../../test/explore/mutants) takes the mends of old ones out of slipway
again, one at a time. This page is written by ` + "`go tool mage mutants`" + `, which goes on where it was; with
` + "`-mutant=N`" + ` it tries one, and with ` + "`-time=10m`" + ` it looks for so long. A mutant is found if a walk
breaks a law that the same walk keeps without it.

There are %d mutants; %d were tried, and %d of these were found. A result is that of the laws on the
day of its hunt. To look again with those of today, remove it from results.json.

| | Mutant | Fault | Found by the law | Seconds |
|--:|---|---|---|--:|
`
