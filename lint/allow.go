package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
)

// allow is a comment or an entry of slipway.yaml that allows findings of a rule.
type allow struct {
	pos          yamlfile.Pos
	rule, reason string
	kind         string // "inSource" or "external", as SARIF has it
	used         bool

	// of a comment: the line that it applies to, and the number of the object if it applies to
	// all of an object, otherwise -1
	line, object int
	given        func(Finding) bool // of an entry of lint.allow: whether it allows a finding
}

// key finds comments: by rule, file and line, or by rule and object.
type key struct {
	rule, file   string
	line, object int
}

func (a *allow) key() key {
	if a.object >= 0 {
		return key{rule: a.rule, object: a.object}
	}
	return key{a.rule, a.pos.File, a.line, -1}
}

// covers returns whether an entry of slipway.yaml allows a finding.
func covers(e product.Allow) func(Finding) bool {
	return func(f Finding) bool {
		below := strings.HasPrefix(f.Path, e.Path+".") || strings.HasPrefix(f.Path, e.Path+"[")
		return e.Rule == f.Rule && (e.Object == "" || e.Object == f.Object) &&
			(e.Path == "" || e.Path == f.Path || below)
	}
}

// divide adds findings to those that comments and entries of slipway.yaml allow, or to the others,
// and returns the comments and entries that are wrong or allow nothing.
func (r *Report) divide(list []Finding, inSource []*allow, o Options) (wrong []problem) {
	var entries []*allow
	for _, e := range o.Allow {
		if ofIndexes(e.Rule) {
			continue // see AllowIndexes
		}
		a := &allow{pos: e.Pos, rule: e.Rule, reason: e.Reason, kind: "external", given: covers(e)}
		for _, c := range o.Charts {
			a.used = a.used || c.used[a.pos]
		}
		entries = append(entries, a)
	}
	return r.sift(list, inSource, entries, !o.chart) // another manifest may use an entry
}

// sift adds findings to those that comments and entries of a file allow, or to the others, and
// returns the comments and entries that are wrong or, of entries if all are known, allow nothing.
func (r *Report) sift(list []Finding, inSource, entries []*allow, all bool) (wrong []problem) {
	comments := map[key][]*allow{}
	for _, a := range inSource {
		comments[a.key()] = append(comments[a.key()], a)
	}
	for _, f := range list {
		by := slices.Concat(comments[key{f.Rule, f.File, f.Line, -1}], comments[key{rule: f.Rule, object: f.object}])
		for _, e := range entries {
			if e.given(f) {
				by = append(by, e)
			}
		}
		by = slices.DeleteFunc(by, func(a *allow) bool { return a.reason == "" })
		for _, a := range by {
			a.used = true
		}
		if len(by) > 0 {
			f.Reason, f.allowedIn = by[0].reason, by[0].kind
			r.Allowed = append(r.Allowed, f)
			continue
		}
		r.Findings = append(r.Findings, f)
	}
	for _, a := range entries {
		r.used[a.pos] = a.used
		a.used = a.used || !all
	}
	for _, a := range slices.Concat(inSource, entries) {
		if id, what := a.fault(); id != "" {
			wrong = append(wrong, problem{place: place{-1, "", a.pos}, rule: id, what: what, which: a.pos.String()})
		}
	}
	return wrong
}

// fault returns the rule that the comment or entry itself breaks, and how.
func (a *allow) fault() (id, what string) {
	known := slices.ContainsFunc(rules, func(r Rule) bool { return r.ID == a.rule })
	switch {
	case a.rule == "":
		return "allow-unknown", "slipway:allow names no rule"
	case !known:
		return "allow-unknown", fmt.Sprintf("rule %s does not exist", a.rule)
	case strings.HasPrefix(a.rule, "allow-"):
		return "allow-unknown", fmt.Sprintf("findings of %s cannot be allowed", a.rule)
	case a.reason == "":
		return "allow-reason", fmt.Sprintf("%s is allowed without a reason", a.rule)
	case !a.used:
		return "allow-unused", fmt.Sprintf("this allows nothing: %s has no finding here", a.rule)
	}
	return "", ""
}
