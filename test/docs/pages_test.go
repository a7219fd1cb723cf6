package docs

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/test/cluster/control"
	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// TestPages runs the blocks of all pages.
func TestPages(t *testing.T) {
	found := blocks(t)
	exist(t, found)
	if t.Failed() {
		return
	}
	plane := cluster(t)
	byPage := map[string][]block{}
	for _, b := range found {
		byPage[b.page] = append(byPage[b.page], b)
	}
	for _, file := range slices.Sorted(maps.Keys(pages)) {
		if byPage[file] == nil {
			t.Errorf("%s has no block of shell commands: remove it from the table", file)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(byPage)) {
		p, ok := pages[file]
		all := slices.DeleteFunc(slices.Clone(byPage[file]), excepted)
		switch {
		case !ok && len(all) > 0:
			t.Errorf("%s:%d: a block of shell commands, which readers copy: say in the table of pages what it needs",
				file, all[0].line)
		case ok:
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				p.run(t, plane, all)
			})
		}
	}
}

// run runs blocks of a page, each as a test. After one that fails, the others have no meaning.
func (p page) run(t *testing.T, plane func() (*control.Plane, error), all []block) {
	for _, name := range append([]string{"shell"}, p.needs...) {
		testprog.Need(t, name)
	}
	m := p.machine(t, plane)
	s := m.shell(t, "page")
	for first := range p.before {
		if !slices.ContainsFunc(all, func(b block) bool { return b.first() == first }) {
			t.Errorf("no block begins with %q: correct the table of pages", first)
		}
	}
	filled := map[string]bool{}
	for n, b := range all {
		text := p.before[b.first()] + "\n" + p.filled(b.text, filled)
		if n == 0 {
			text = "cd " + filepath.Join(world, "work", p.in) + "\n" + text
		}
		ok := t.Run(b.first(), func(t *testing.T) {
			if strings.Contains(text, "…") {
				t.Fatalf("%s:%d: it has a …: say in the table of pages what a reader writes there", b.page, b.line)
			}
			out, err := s.run(text)
			if err != nil {
				t.Fatalf("%s:%d: %v\n%s", b.page, b.line, err, out)
			}
			if line := missing(out, b.shown); line != "" {
				t.Errorf("%s:%d: no line is like %q of the page:\n%s", b.page, b.line, line, out)
			}
		})
		if !ok {
			return
		}
	}
	if out, err := s.run("cd " + filepath.Join(world, "work", p.in) + "\n" + p.after); err != nil {
		t.Errorf("what the page promises: %v\n%s", err, out)
	}
	for old := range p.fill {
		if !filled[old] {
			t.Errorf("no block has %q: correct the table of pages", old)
		}
	}
}

// filled fills in what a reader does, and notes what it was.
func (p page) filled(text string, filled map[string]bool) string {
	for _, old := range slices.Sorted(maps.Keys(p.fill)) {
		if strings.Contains(text, old) {
			filled[old] = true
			text = strings.ReplaceAll(text, old, p.fill[old])
		}
	}
	return text
}

// machine prepares a machine for the page.
func (p page) machine(t *testing.T, plane func() (*control.Plane, error)) *machine {
	t.Helper()
	var m *machine
	if p.cluster {
		up, err := plane()
		must(t, err)
		m = clientOf(t, up)
	} else {
		ns, err := namespace.New()
		must(t, err)
		t.Cleanup(ns.Close)
		m = newMachine(t, ns, newNet(t))
	}
	m.internet(t)
	before := "shopt -s expand_aliases\n"
	for _, dir := range slices.Sorted(maps.Keys(p.products)) {
		for _, name := range strings.Fields(p.products[dir]) {
			a, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
			must(t, err)
			for _, f := range a.Files {
				m.file(t, filepath.Join("work", dir, f.Name), string(f.Data))
			}
		}
		must(t, os.MkdirAll(filepath.Join(m.dir, "work", dir), 0o755))
		before += "git -C " + dir + " init -q && git -C " + dir + " add . && git -C " +
			dir + " commit -qm first --allow-empty\n"
	}
	for _, with := range p.with {
		with(t, m)
	}
	if out, err := m.shell(t, "setup").run(before + p.setup); err != nil {
		t.Fatalf("preparing the machine: %v\n%s", err, out)
	}
	return m
}

func excepted(b block) bool {
	return slices.ContainsFunc(exceptions, func(e exception) bool { return e.page == b.page && e.first == b.first() })
}

// exist checks that few blocks are not run, and that each of these exists: one whose first line has
// changed would be run.
func exist(t *testing.T, all []block) {
	t.Helper()
	if len(exceptions)*10 > len(all) {
		t.Errorf("%d of %d blocks are not run: at most one in ten may be such", len(exceptions), len(all))
	}
	for _, e := range exceptions {
		if n := len(slices.DeleteFunc(slices.Clone(all), func(b block) bool {
			return b.page != e.page || b.first() != e.first
		})); n != 1 {
			t.Errorf("%s: %d blocks begin with %q: correct the exceptions", e.page, n, e.first)
		}
	}
}
