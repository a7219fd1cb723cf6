package report

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/lint/nodes"
)

// runner is a pod or an image, and the nodes that run it.
type runner struct {
	What, Place, Notes string
	Groups             []group
}

// group is the nodes that run it, or those that do not for the same reasons.
type group struct {
	Runs  bool
	Fails bool // it is placed there
	Nodes string
	Count int
	Why   []string
}

// node is a node as it describes itself.
type node struct{ Name, Platform, Notes string }

// nodes lists which nodes run what.
func (p *page) nodes(r *nodes.Report) {
	if r == nil {
		return
	}
	for _, n := range r.Nodes {
		p.Nodes = append(p.Nodes, node{n.Name, called(n.Platform), strings.Join(n.Notes, "; ")})
	}
	for _, o := range r.Pods {
		what := o.Object
		if o.Chart != "" {
			what = "chart " + o.Chart + ": " + what
		}
		p.Runners = append(p.Runners, runner{what, o.Place, strings.Join(o.Notes, "; "), groups(o.Verdicts)})
	}
	for _, i := range r.Images {
		p.Runners = append(p.Runners, runner{"image " + i.Name, "", strings.Join(i.Notes, "; "), groups(i.Verdicts)})
	}
}

// groups joins nodes of equal verdicts.
func groups(all []nodes.Verdict) (out []group) {
	names := [][]string{}
	for _, v := range all {
		g := group{Runs: v.Runs, Fails: v.Fails}
		for _, r := range v.Reasons {
			g.Why = append(g.Why, r.Text)
		}
		n := slices.IndexFunc(out, func(o group) bool {
			return o.Runs == g.Runs && o.Fails == g.Fails && slices.Equal(o.Why, g.Why)
		})
		if n < 0 {
			n, out, names = len(out), append(out, g), append(names, nil)
		}
		names[n] = append(names[n], v.Node)
	}
	for n := range out {
		out[n].Nodes, out[n].Count = some(names[n]), len(names[n])
	}
	return out
}
