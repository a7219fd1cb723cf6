package nodes

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/output"
)

// most is the number of nodes that a line of the table names.
const most = 3

// WriteTable writes the nodes, then for each pod and image a line for the nodes that run it and one
// for each reason of the others.
func (r *Report) WriteTable(w io.Writer) error {
	if r.Snapshot {
		if _, err := fmt.Fprint(w, "This is a snapshot, which no registry got.\n\n"); err != nil {
			return err
		}
	}
	t := output.NewTable(w, "NODE\tPLATFORM\tTAINTS\tNOTE")
	for _, n := range r.Nodes {
		var taints []string
		for _, x := range n.object.Spec.Taints {
			taints = append(taints, x.ToString())
		}
		t.Row("%s\t%s\t%s\t%s", n.Name, n.platform(),
			cmp.Or(strings.Join(taints, ", "), "-"), cmp.Or(strings.Join(n.Notes, "; "), "-"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	header := "POD OR IMAGE\tRUNS\tNODES\tWHY NOT"
	if len(r.Nodes) > 0 {
		header = "\n" + header
	}
	t = output.NewTable(w, header)
	for _, p := range r.Pods {
		lines(t, p.title(), p.Verdicts, p.Notes)
	}
	for _, i := range r.Images {
		lines(t, "image "+i.Name, i.Verdicts, i.Notes)
	}
	return t.Flush()
}

// lines writes the verdicts on a pod or image; nodes of equal verdicts share a line.
func lines(t *output.Table, what string, verdicts []Verdict, notes []string) {
	type group struct {
		runs, why string
		nodes     []string
	}
	var groups []group
	for _, v := range verdicts {
		g := group{runs: "yes", why: "-"}
		if !v.Runs {
			var texts []string
			for _, r := range v.Reasons {
				texts = append(texts, r.Text)
			}
			g.runs, g.why = "no", strings.Join(texts, "; ")
			if v.Fails {
				g.runs = "fails"
			}
		}
		n := slices.IndexFunc(groups, func(o group) bool { return o.runs == g.runs && o.why == g.why })
		if n < 0 {
			n = len(groups)
			groups = append(groups, g)
		}
		groups[n].nodes = append(groups[n].nodes, v.Node)
	}
	for _, g := range groups {
		t.Row("%s\t%s\t%s\t%s", what, g.runs, some(g.nodes), g.why)
	}
	if len(groups) == 0 && len(notes) == 0 {
		t.Row("%s\tno\t-\tthe list of nodes is empty", what)
	}
	for _, n := range notes {
		t.Row("%s\tnote\t-\t%s", what, n)
	}
}

// some names the first nodes and counts the others.
func some(names []string) string {
	if len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
