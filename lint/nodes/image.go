package nodes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// imageName returns the name of an image in reports.
func imageName(i lock.CatalogImage) string {
	name, _, _ := strings.Cut(i.Name, "@")
	return name
}

// lacks returns why a node's runtime accepts no manifest of an image; ok reports that it accepts
// one.
func lacks(i lock.CatalogImage, n Node) (r Reason, ok bool) {
	os := func(p platform.Platform) bool { return p.OS == n.Platform.OS }
	machine := func(p platform.Platform) bool { return os(p) && p.Architecture == n.Platform.Architecture }
	text := fmt.Sprintf("image %s is for %s", imageName(i), platforms(i))
	switch {
	case i.Unresolved != "" || platform.Accepts(n.Platform, i.Platforms):
		return Reason{}, true
	case n.Platform.OS == "" || !slices.ContainsFunc(i.Platforms, os):
		return Reason{"os", text}, false
	case !slices.ContainsFunc(i.Platforms, machine):
		return Reason{"architecture", text}, false
	case n.Platform.OS == platform.Linux:
		return Reason{"os-features", text + ", and nodes do not report such features"}, false
	case n.Platform.OS == platform.Windows && n.Platform.OSVersion == "":
		return Reason{"windows-build", text + ", and the node does not report its Windows build"}, false
	}
	return Reason{"windows-build", text + ", the node has build " + n.Platform.OSVersion}, false
}

// platforms lists the platforms of an image without Windows revisions.
func platforms(i lock.CatalogImage) string {
	var all []string
	for _, p := range i.Platforms {
		p.OSVersion = platform.Short(p.OSVersion)
		if s := p.String(); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return "no platform"
	}
	return strings.Join(all, ", ")
}

// image reports which nodes run an image of the lock.
func (c checker) image(i lock.CatalogImage) Image {
	out := Image{
		Name: imageName(i), Reference: cmp.Or(i.Reference, i.Name), Platforms: []string{},
		Verdicts: []Verdict{},
	}
	for _, p := range i.Platforms {
		out.Platforms = append(out.Platforms, p.String())
	}
	if i.Unresolved != "" {
		out.Notes = append(out.Notes, "nothing is known of its platforms: "+i.Unresolved)
		return out
	}
	for _, n := range c.nodes {
		v := Verdict{Node: n.Name}
		var r Reason
		if r, v.Runs = lacks(i, n); !v.Runs {
			v.Reasons = []Reason{r}
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	for _, o := range FindOlder(c.nodes, i.Platforms) {
		out.Notes = append(out.Notes, o.String())
	}
	return out
}
