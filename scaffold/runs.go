package scaffold

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// pushes reports whether a text pushes, or runs a script or a target of make that does.
func (d *Draft) pushes(text string) bool {
	if pushing.MatchString(text) {
		return true
	}
	remembered := func(key, text string) bool {
		known, ok := d.publishers.pushing[key]
		if !ok {
			d.publishers.pushing[key] = false // in a circle
			known = d.pushes(text)
			d.publishers.pushing[key] = known
		}
		return known
	}
	for _, f := range d.runsScripts(text) {
		if remembered(f, string(d.tree.text(f))) {
			return true
		}
	}
	for _, words := range makeCalls(expression(text, d.ofForge())) {
		for _, w := range words {
			t := d.make.Targets[w]
			if t == nil {
				continue
			}
			recipe := "make " + d.make.Expand(strings.Join(t.Needs, " ")) + "\n"
			for _, r := range t.Recipes {
				recipe += r.Text + "\n"
			}
			if remembered("make "+w, recipe) {
				return true
			}
		}
	}
	return false
}

// namesOnly matches what names a file and does not run it: commands that read, names of steps,
// comments.
var namesOnly = lazyregexp.New(`(?m)\b(?:cat|[ef]?grep|head|tail|shellcheck|shfmt|chmod|ls|wc|diff|stat|hashFiles)\b[^\n|;&]*` +
	`|^\s*-?\s*name:.*$|^\s*#.*$`)

// runsScripts returns the scripts and other files that a text runs.
func (d *Draft) runsScripts(text string) (list []string) {
	text = namesOnly.ReplaceAllString(text, "")
	for _, f := range d.publishers.scripts {
		base := path.Base(f)
		if strings.Contains(text, base) && (strings.Contains(text, f) || !strings.HasPrefix(f, ".github/") &&
			(strings.Contains(text, "./"+base) || strings.Contains(text, "/"+base))) ||
			strings.HasPrefix(f, ".github/actions/") && strings.Contains(text, path.Dir(f)) {
			list = append(list, f)
		}
	}
	return list
}
