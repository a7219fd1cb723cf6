package product

import (
	"path"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Group is a part of the images, which has bundles of its own.
type Group struct {
	Name   string
	AddsTo string // the group that a node has besides; "" for none
	// Images are names of the product's images, and patterns of the references of others, as in
	// [Removal].
	Images []string
	// Listed are the images of its files of references.
	Listed []ThirdParty
	Lists  []string // absolute paths of these files
	Charts []string // whose images are in the group
	// Selector chooses objects by their labels, whose images are in the group; nil for none.
	Selector labels.Selector
	Pos      yamlfile.Pos
}

// groups reads the groups of images.
func (c *checker) groups(args map[string]string) {
	in := c.in.Airgap.Groups
	c.groupNames = c.collect("group", &c.in.Airgap.Groups,
		each(in, func(g *groupYAML) *string { return &g.Name }), fileForm)
	forEach(in, func(g *groupYAML) { c.out.Airgap.Groups = append(c.out.Airgap.Groups, c.group(g, args)) })
	forEach(in, c.chain)
	c.oneDigest()
}

func (c *checker) group(in *groupYAML, args map[string]string) Group {
	g := Group{Name: in.Name, AddsTo: in.AddsTo, Images: in.Images, Charts: in.Charts, Pos: c.Pos(&in.Name)}
	if in.AddsTo != "" {
		c.refer(&in.AddsTo, c.groupNames)
	}
	c.once(in.Images)
	forEach(in.Images, func(s *string) {
		if _, err := path.Match(*s, ""); err != nil || *s == "" {
			c.Errorf(s, "malformed pattern %s: write the name of an image, or a reference or a repository, in which "+
				"* replaces any text but a slash", *s)
		}
	})
	c.once(in.Charts)
	forEach(in.Charts, func(s *string) { c.refer(s, c.charts) })
	if in.Selector != "" {
		var err error
		if g.Selector, err = labels.Parse(in.Selector); err != nil {
			c.Errorf(&in.Selector, "malformed selector: %v: write it as for kubectl get -l", err)
		} else if g.Selector.Empty() {
			c.Errorf(&in.Selector, "the selector chooses all objects: write a label")
		}
	}
	c.once(in.Lists)
	forEach(in.Lists, func(s *string) {
		full, shown, b := c.imageList(s)
		if b == nil {
			return
		}
		g.Lists = append(g.Lists, full)
		wrong := len(c.Errors)
		all, removed := parseImageList(&c.Errors, shown, filepath.ToSlash(*s), b, args)
		for _, r := range removed {
			c.At(r.Pos, "!%s: the list of a group only adds images: take the line out", r.Pattern)
		}
		if len(all) == 0 && len(c.Errors) == wrong {
			c.Errorf(s, "%s lists no images: write one reference per line, or take the file out", *s)
		}
		g.Listed = append(g.Listed, all...)
	})
	if len(in.Images)+len(in.Lists)+len(in.Charts) == 0 && in.Selector == "" && !c.Bad(in) {
		c.Errorf(&in.Name, "group %s has nothing that says which images are in it: name images, lists, charts "+
			"or a selector", in.Name)
	}
	return g
}

// chain reports a group that adds to itself, directly or by others.
func (c *checker) chain(in *groupYAML) {
	seen := []string{in.Name}
	for at := in.AddsTo; at != ""; {
		if slices.Contains(seen, at) {
			if at == in.Name {
				c.Errorf(&in.AddsTo, "group %s adds to itself: name the group that a node has before it", in.Name)
			}
			return
		}
		seen = append(seen, at)
		n := slices.IndexFunc(c.in.Airgap.Groups, func(g groupYAML) bool { return g.Name == at })
		if n < 0 {
			return
		}
		at = c.in.Airgap.Groups[n].AddsTo
	}
}

// oneDigest reports an image that lists give two digests.
func (c *checker) oneDigest() {
	type place struct {
		digest string
		pos    yamlfile.Pos
	}
	first := map[string]place{}
	lists := [][]ThirdParty{c.out.Airgap.Images}
	for _, g := range c.out.Airgap.Groups {
		lists = append(lists, g.Listed)
	}
	for _, t := range slices.Concat(lists...) {
		ref, tag, err := parseReference(t.Text)
		if err != nil {
			continue // it was reported
		}
		key, own := sameName(ref, tag), place{"", t.Pos}
		if ref.Name() != key {
			own.digest = ref.Identifier()
		}
		was, ok := first[key]
		if ok && was.digest != own.digest && was.digest != "" && own.digest != "" {
			c.At(t.Pos, "%s has another digest in %s: keep one of them", t.Text, was.pos)
		}
		if !ok || was.digest == "" {
			first[key] = own
		}
	}
}
