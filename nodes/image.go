package nodes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// image is one of the lock.
type image struct {
	name      string // for messages
	reference string // repository@digest
	tagged    string
	systems   []platform.Platform
	children  []string // digests, beside systems; of third-party images the lock has none
	unknown   string   // why systems are not known
}

// known lists the images of a lock, ours first.
func known(l *lock.Lock) []image {
	var list []image
	for _, i := range l.Images {
		k := image{name: i.Name, reference: i.Reference(), tagged: i.Tagged()}
		for _, c := range i.Children {
			k.systems = append(k.systems, c.Platform)
			k.children = append(k.children, c.Digest.String())
		}
		list = append(list, k)
	}
	for _, t := range l.ThirdParty {
		tagged, _, _ := strings.Cut(t.Reference, "@")
		k := image{name: tagged, reference: t.Reference, tagged: tagged, systems: t.Platforms}
		if t.LeftOut != "" {
			k.unknown = "the snapshot left it out: " + t.LeftOut
		}
		if ref, err := name.ParseReference(t.Reference); err == nil && t.Digest.Hex != "" {
			k.reference = ref.Context().Name() + "@" + t.Digest.String()
		}
		list = append(list, k)
	}
	return list
}

// find returns what a container's image names: an image, or the one manifest of it whose digest
// is named.
func find(list []image, ref string) (image, bool) {
	for _, i := range list {
		if same(i.reference, ref) || same(i.tagged, ref) {
			return i, true
		}
		repo, _, _ := strings.Cut(i.reference, "@")
		for n, digest := range i.children {
			if same(repo+"@"+digest, ref) {
				i.systems = i.systems[n : n+1]
				return i, true
			}
		}
	}
	return image{}, false
}

// same reports whether two references name the same: docker.io and a tag latest may be left out,
// a tag beside a digest says nothing.
func same(a, b string) bool {
	x, err := name.ParseReference(a)
	if err != nil {
		return false
	}
	y, err := name.ParseReference(b)
	return err == nil && x.Context().Name() == y.Context().Name() && x.Identifier() == y.Identifier()
}

// lacks returns why a node's runtime takes no manifest of an image; ok is that it takes one.
func (i image) lacks(n Node) (r Reason, ok bool) {
	os := func(p platform.Platform) bool { return p.OS == n.System.OS }
	machine := func(p platform.Platform) bool { return os(p) && p.Architecture == n.System.Architecture }
	switch {
	case i.unknown != "" || n.runs(i.systems):
		return Reason{}, true
	case n.System.OS == platform.Linux && slices.ContainsFunc(i.systems, machine):
		return Reason{}, true // nodes do not tell a variant, such as v7
	case n.System.OS == "" || !slices.ContainsFunc(i.systems, os):
		return Reason{"os", fmt.Sprintf("image %s is for %s", i.name, i.list())}, false
	case !slices.ContainsFunc(i.systems, machine):
		return Reason{"architecture", fmt.Sprintf("image %s is for %s", i.name, i.list())}, false
	case n.System.OS == platform.Windows && n.System.OSVersion == "":
		return Reason{"windows-build", fmt.Sprintf("image %s is for %s, and the node does not tell its Windows build", i.name, i.list())}, false
	}
	return Reason{"windows-build", fmt.Sprintf("image %s is for %s, the node has build %s", i.name, i.list(), n.System.OSVersion)}, false
}

// runs reports whether a node's runtime takes one of the images. What a Windows node of an
// unknown build takes for sure is an image of any build.
func (n Node) runs(images []platform.Platform) bool {
	if n.System.OS == platform.Windows && n.System.OSVersion == "" {
		images = slices.DeleteFunc(slices.Clone(images), func(p platform.Platform) bool { return p.OSVersion != "" })
	}
	return platform.Best(n.System, images) >= 0
}

// list writes the image's platforms, Windows revisions left out.
func (i image) list() string {
	var all []string
	for _, p := range i.systems {
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

// image says which nodes run an image of the lock.
func (c checker) image(i image) Image {
	out := Image{Name: i.name, Reference: i.reference, Platforms: []string{}, Verdicts: []Verdict{}}
	for _, p := range i.systems {
		out.Platforms = append(out.Platforms, p.String())
	}
	if i.unknown != "" {
		out.Notes = append(out.Notes, "nothing is known of its platforms: "+i.unknown)
		return out
	}
	for _, n := range c.nodes {
		v := Verdict{Node: n.Name}
		var r Reason
		if r, v.Runs = i.lacks(n); !v.Runs {
			v.Reasons = []Reason{r}
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	return out
}
