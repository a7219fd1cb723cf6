package lint

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// faults reports what the API server refuses of an object because of its type.
func (c *checker) faults(object int) {
	for _, f := range c.objects[object].Faults {
		id := "object-field"
		if f.Unserved {
			id = "object-version"
		}
		c.inObject(c.newFinding(rule(id), f.Text, f.Pos), object, f.Path, f.Text)
	}
}

// duplicates reports objects of the same group, kind, namespace and name in a file. A generateName
// makes a new object each time.
func (c *checker) duplicates() {
	first := map[string]Finding{}
	for n, o := range c.objects {
		if yamlfile.Text(o.Node, "metadata", "name") == "" {
			continue
		}
		group, _, versioned := strings.Cut(o.APIVersion, "/")
		if !versioned {
			group = ""
		}
		f := c.newFinding(rule("object-duplicate"), "", o.Pos())
		id := o.File + " " + group + " " + o.String()
		if other, ok := first[id]; ok {
			f.What = fmt.Sprintf("the same object is at %s", other.pos())
			c.inObject(f, n, o.Path, "")
			continue
		}
		first[id] = f
	}
}
