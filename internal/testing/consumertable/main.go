package consumertable

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
)

// home is the distribution that the page is about. What another distribution's programs do is
// printed, not compared with the page.
const home = "Debian 12"

// Main runs a module's tests and then compares its tables with the page, or writes them there
// where -update is given, and returns the exit code. suite is the directory of the tests in the
// repository: consumers of it that SLIPWAY_WITHOUT leaves out excuse missing rows.
func Main(m *testing.M, path, suite string, tables ...*Table) int {
	update := flag.Bool("update", false, "write what the tests saw to "+path)
	flag.Parse()
	if code := m.Run(); code != 0 || set("test.list") {
		return code
	}
	c := comparison{partial: set("test.run") || set("test.skip"), update: *update, say: os.Stderr}
	for _, used := range consumer.All {
		if slices.Contains(used.Suites, suite) && consumer.Without(used.Name) {
			c.without = append(c.without, used.Name)
		}
	}
	var errs []error
	for page, of := range byPage(path, tables) {
		errs = append(errs, c.run(page, of))
	}
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintf(os.Stderr, "%v\nIf it is to be so, write the page anew: "+
			"go test . -update, with the environment that `go tool mage test` sets\n", err)
		return 1
	}
	return 0
}

// byPage sorts tables by the pages that have them.
func byPage(path string, tables []*Table) map[string][]*Table {
	all := map[string][]*Table{}
	for _, t := range tables {
		page := cmp.Or(t.Page, path)
		all[page] = append(all[page], t)
	}
	return all
}

// set says whether a flag of the test binary was given.
func set(name string) bool {
	f := flag.Lookup(name)
	return f != nil && f.Value.String() != f.DefValue
}

// comparison is how tables are compared with the page.
type comparison struct {
	partial bool     // not all tests ran
	update  bool     // write
	without []string // consumers that were omitted
	say     io.Writer
}

func (c comparison) run(path string, tables []*Table) error {
	p, err := read(path)
	if err != nil {
		return err
	}
	before := p.text
	var errs []error
	for _, t := range tables {
		var seen []string
		for _, l := range t.lines() {
			if elsewhere(l) {
				fmt.Fprintf(c.say, "%s is about %s; here it is\n%s\n", path, home, l)
				continue
			}
			seen = append(seen, l)
		}
		missing, err := p.check(t, seen)
		missing = c.excuse(path, missing)
		if !c.update {
			for _, r := range missing {
				err = errors.Join(err, fmt.Errorf("%s has a row that no test saw:\n%s", path, r))
			}
			errs = append(errs, err)
			continue
		}
		rows, err := p.rows(t)
		if err != nil {
			return err
		}
		for _, r := range rows { // what did not run keeps its rows
			if !slices.ContainsFunc(seen, func(s string) bool { return t.key(s) == t.key(r) }) &&
				!slices.Contains(missing, r) {
				seen = append(seen, r)
			}
		}
		if err := p.put(t, seen); err != nil {
			return err
		}
	}
	if c.update && p.text != before {
		return os.WriteFile(path, []byte(p.text), 0o644)
	}
	return errors.Join(errs...)
}

// excuse returns the rows whose absence nothing explains, and reports the others.
func (c comparison) excuse(path string, missing []string) (unexplained []string) {
	var excused []string
	for _, r := range missing {
		switch {
		case c.partial, len(c.without) > 0, distribution() != home && strings.Contains(r, "("+home+")"):
			excused = append(excused, r)
		default:
			unexplained = append(unexplained, r)
		}
	}
	switch {
	case c.partial || len(excused) == 0:
	case len(c.without) > 0:
		fmt.Fprintf(c.say, "without %s these rows of %s were not compared:\n%s\n", strings.Join(c.without, ", "),
			path, strings.Join(excused, "\n"))
	default:
		fmt.Fprintf(c.say, "on %s these rows of %s were not compared:\n%s\n", distribution(), path,
			strings.Join(excused, "\n"))
	}
	return unexplained
}
