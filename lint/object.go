package lint

import (
	"cmp"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// faults reports what the API server refuses of objects because of their types.
func (m *manifests) faults() (all []problem) {
	for n, o := range m.objects {
		for _, f := range o.Faults {
			id := "object-field"
			if f.Unserved {
				id = "object-version"
			}
			all = append(all, problem{place: place{n, f.Path, f.Pos}, rule: id, what: f.Text, which: f.Text})
		}
	}
	return all
}

// duplicates reports objects of the same group, kind, namespace and name in a file. A generateName
// makes a new object each time.
func (m *manifests) duplicates() (all []problem) {
	first := map[string]string{} // places
	for n, o := range m.objects {
		if yamlfile.Text(o.Node, "metadata", "name") == "" {
			continue
		}
		group, _, versioned := strings.Cut(o.APIVersion, "/")
		if !versioned {
			group = ""
		}
		id := o.File + " " + group + " " + o.String()
		if other, ok := first[id]; ok {
			at := place{n, o.Path, o.Pos()}
			all = append(all, problem{place: at, rule: "object-duplicate", what: "the same object is at " + other})
			continue
		}
		first[id] = cmp.Or(m.origin(o.Pos()), o.Pos().String())
	}
	return all
}
