package scaffold

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// closed reports whether a matrix is written out in a workflow, and is not the result of an
// expression.
func closed(n *yaml.Node) bool {
	if n == nil || n.Kind == yaml.ScalarNode {
		return n == nil
	}
	for _, list := range pairs(n) {
		if list.Kind == yaml.ScalarNode {
			return false
		}
	}
	return true
}

// matrix returns what a matrix gives each of its jobs: all combinations of its lists, and what
// include adds.
func matrix(n *yaml.Node) []map[string]string {
	all := []map[string]string{{}}
	for key, list := range pairs(n) {
		values := items(list)
		if key == "include" || key == "exclude" || len(values) == 0 {
			continue
		}
		var next []map[string]string
		for _, before := range all {
			for _, v := range values {
				if len(next) >= maxMatrix {
					break
				}
				one := maps.Clone(before)
				scalars(v, "matrix."+key+".", one)
				if v.Kind == yaml.ScalarNode {
					one["matrix."+key] = v.Value
				}
				next = append(next, one)
			}
		}
		all = next
	}
	for _, v := range items(n, "exclude") {
		one := map[string]string{}
		scalars(v, "matrix.", one)
		all = slices.DeleteFunc(all, func(m map[string]string) bool {
			for key, value := range one {
				if m[key] != value {
					return false
				}
			}
			return len(one) > 0
		})
	}
	include := items(n, "include")
	more := included(all, include)
	if len(all) == 1 && len(all[0]) == 0 && len(include) > 0 {
		return more
	}
	return append(all, more...)
}

// included gives jobs of a matrix what its include has for them, and returns the jobs that it adds:
// https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstrategymatrixinclude.
func included(all []map[string]string, include []*yaml.Node) (more []map[string]string) {
	first := map[string]bool{}
	for _, m := range all {
		for key := range m {
			first[key] = true
		}
	}
	for _, v := range include[:min(len(include), maxMatrix)] {
		one := map[string]string{}
		scalars(v, "matrix.", one)
		fits := false
		for _, m := range all {
			same := len(first) > 0
			for key, value := range one {
				same = same && (!first[key] || m[key] == value)
			}
			if fits = fits || same; same {
				maps.Copy(m, one)
			}
		}
		if !fits {
			more = append(more, one)
		}
	}
	return more
}
