package scaffold

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/scaffold/makefile"
)

// lineOf is a line of a Makefile.
func lineOf(l makefile.Line) place { return place{l.File, l.Number} }

// makefiles reads the Makefile of the repository and of the module, and what they include.
func (d *Draft) makefiles() {
	d.make = makefile.New()
	for _, dir := range []string{".", d.source.dir, "docker"} {
		for _, name := range []string{"Makefile", "GNUmakefile"} {
			if p := path.Join(dir, name); d.tree.has(p) && !d.make.Files[p] {
				d.found("%s: variables, flags of the linker and platforms", p)
				d.make.Add(p, d.tree)
			}
		}
	}
}

// variableRank returns the rank of a variable: that of the recipes that use it, also through
// others.
func (d *Draft) variableRank(name string) rank {
	m, p := d.make, d.publishers
	if d.used == nil {
		d.used = map[string]bool{}
		for _, t := range sortedKeys(m.Targets) {
			if !p.targets[t] {
				continue
			}
			d.uses(t + " " + strings.Join(m.Targets[t].Needs, " "))
			for _, r := range m.Targets[t].Recipes {
				d.uses(r.Text)
			}
		}
	}
	if d.used[name] {
		return publishes
	}
	return develops
}

var anyVariable = lazyregexp.New(`[A-Za-z0-9_.-]+`)

// uses notes the variables of a text, and those of their values.
func (d *Draft) uses(text string) {
	if !strings.Contains(text, "$") {
		return
	}
	for _, name := range anyVariable.FindAllString(text, -1) {
		if v, ok := d.make.Values[name]; ok && !d.used[name] {
			d.used[name] = true
			d.uses(v + " $")
		}
	}
}

// windowsRank returns the highest rank of what names Windows.
func (d *Draft) windowsRank() rank {
	for name := range d.make.Values {
		if windowsVars.MatchString(name) && d.variableRank(name) == publishes {
			return publishes
		}
	}
	return develops
}

// lineRank returns the rank of a line: that of its recipe, or of the variable that it gives.
func (d *Draft) makeRank(at place) rank {
	for _, r := range d.make.Recipes {
		if lineOf(r.At) == at {
			return d.publishers.target(r.Target)
		}
	}
	for name, given := range d.make.At {
		if lineOf(given) == at {
			return d.variableRank(name)
		}
	}
	return develops
}
