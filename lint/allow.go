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
	entry        product.Allow // of slipway.yaml
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

// covers reports whether an entry of slipway.yaml allows a finding.
func (a *allow) covers(l located) bool {
	e := a.entry
	return e.Rule == l.Rule && (e.Object == "" || e.Object == l.Object) &&
		(e.Path == "" || e.Path == l.Path || strings.HasPrefix(l.Path, e.Path+".") || strings.HasPrefix(l.Path, e.Path+"["))
}

// allow divides the findings into those that are allowed and the others, and reports comments and
// entries that are wrong or allow nothing.
func (c *checker) allow() {
	comments := map[key][]*allow{}
	for _, a := range c.allows {
		comments[a.key()] = append(comments[a.key()], a)
	}
	var entries []*allow
	for _, e := range c.options.Allow {
		entries = append(entries, &allow{pos: e.Pos, rule: e.Rule, reason: e.Reason, kind: "external", entry: e})
	}
	for _, l := range c.all {
		by := slices.Concat(comments[key{l.Rule, l.File, l.Line, -1}], comments[key{rule: l.Rule, object: l.object}])
		for _, e := range entries {
			if e.covers(l) {
				by = append(by, e)
			}
		}
		by = slices.DeleteFunc(by, func(a *allow) bool { return a.reason == "" })
		for _, a := range by {
			a.used = true
		}
		if len(by) > 0 {
			l.Reason, l.allowedIn = by[0].reason, by[0].kind
			c.report.Allowed = append(c.report.Allowed, l.Finding)
			continue
		}
		c.report.Findings = append(c.report.Findings, l.Finding)
	}
	c.report.used = map[yamlfile.Pos]bool{}
	for _, a := range entries {
		for _, r := range c.options.Charts {
			a.used = a.used || r.used[a.pos]
		}
		c.report.used[a.pos] = a.used
		a.used = a.used || c.options.chart // which another manifest may
	}
	for _, a := range slices.Concat(c.allows, entries) {
		if id, what := a.fault(); id != "" {
			c.report.Findings = append(c.report.Findings, c.newFinding(rule(id), what, a.pos))
		}
	}
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
