package lint

import (
	"cmp"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// place is a place in the manifests or in slipway.yaml.
type place struct {
	object int    // its number, -1 for none
	path   string // of a field of the object, or of slipway.yaml
	pos    yamlfile.Pos
}

// problem is a place that breaks a rule, as rules return it.
type problem struct {
	place
	rule     string
	what     string   // the message; "" is the title of the rule
	which    string   // one of several at a place, such as the reference in a text
	severity Severity // "" is that of the rule
	strict   bool     // an error if the rule is strict
	folds    bool     // text output shows one of its rule for each file
}

// findings describes problems, each once.
func (m *manifests) findings(list []problem) (all []Finding) {
	type id struct {
		rule, path, which string
		object            int
	}
	seen := map[id]bool{}
	for _, p := range list {
		key := id{p.rule, p.path, p.which, p.object}
		if seen[key] {
			continue
		}
		seen[key] = true
		r := rule(p.rule)
		f := Finding{
			Rule: r.ID, Severity: cmp.Or(p.severity, r.Severity), Path: output.Line(p.path),
			File: p.pos.File, Line: p.pos.Line, Column: p.pos.Column, Origin: m.origin(p.pos),
			What: output.Line(cmp.Or(p.what, r.Title)), Instead: r.Instead, Link: r.Link,
			object: p.object, folds: p.folds,
		}
		if p.strict && r.Strict {
			f.Severity = Error
		}
		if p.object >= 0 {
			f.Object = output.Line(m.objects[p.object].String())
		}
		all = append(all, f)
	}
	return all
}
