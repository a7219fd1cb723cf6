package lint

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/workload"
)

// allow is a comment or an entry of slipway.yaml that allows findings of one rule.
type allow struct {
	pos          workload.Pos
	rule, reason string
	// covers reports whether a finding is one of those that it is about, whatever its rule.
	covers func(located) bool
	kind   string // "inSource" or "external", as SARIF has it
	used   bool
}

// fromProduct makes an allow of an entry in slipway.yaml, which names the object and the field where it is not about all of them.
func fromProduct(a product.Allow) *allow {
	return &allow{
		pos: workload.Pos(a.Pos), rule: a.Rule, reason: a.Reason, kind: "external",
		covers: func(l located) bool {
			return (a.Object == "" || a.Object == l.Object) && (a.Path == "" || a.Path == l.Path || strings.HasPrefix(l.Path, a.Path+".") || strings.HasPrefix(l.Path, a.Path+"["))
		},
	}
}

// allow parts the findings into those that stand and those that are allowed, and adds what is wrong with the allowing.
func (c *checker) allow() {
	for _, a := range c.o.Allow {
		c.allows = append(c.allows, fromProduct(a))
	}
	for _, l := range c.all {
		if a := c.allowed(l); a != nil {
			l.Reason, l.allowedIn = a.reason, a.kind
			c.report.Allowed = append(c.report.Allowed, l.Finding)
			continue
		}
		c.report.Findings = append(c.report.Findings, l.Finding)
	}
	for _, a := range c.allows {
		if id, what := a.fault(); id != "" {
			r, _ := rule(id)
			c.report.Findings = append(c.report.Findings, newFinding(r, what, a.pos))
		}
	}
}

// allowed returns what allows a finding, or nil. All that would are marked as used.
func (c *checker) allowed(l located) *allow {
	var by *allow
	for _, a := range c.allows {
		if a.rule == l.Rule && a.reason != "" && a.covers(l) {
			a.used = true
			if by == nil {
				by = a
			}
		}
	}
	return by
}

// fault returns the rule that an allow breaks itself, and what is wrong.
func (a *allow) fault() (id, what string) {
	_, known := rule(a.rule)
	switch {
	case a.rule == "":
		return "allow-unknown", "slipway:allow names no rule"
	case !known:
		return "allow-unknown", fmt.Sprintf("there is no rule %s to allow", a.rule)
	case strings.HasPrefix(a.rule, "allow-"):
		return "allow-unknown", fmt.Sprintf("%s cannot be allowed: mend what it is about", a.rule)
	case a.reason == "":
		return "allow-reason", fmt.Sprintf("%s is allowed without a reason", a.rule)
	case !a.used:
		return "allow-unused", fmt.Sprintf("nothing is found here that %s is about", a.rule)
	}
	return "", ""
}
