package product

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// Bundle is one archive. Name is its file name without .tar.zst: kpack-images.linux-amd64.
type Bundle struct {
	Name string
	// Platform is the platform of the bundle; the zero value means all platforms.
	Platform platform.Platform
	// Groups are those whose images it has; none for all images.
	Groups []string
	// Base is the Name of the bundle whose layers this one lacks; "" if it is complete.
	Base string
	// ListOnly means that there is only the list of the images. Several may have one Name.
	ListOnly bool
	Pos      yamlfile.Pos // of the name

	sparse bool // it has a Base
}

// bundleFields is what templates of bundles' names may use.
type bundleFields struct{ Product, Version, Group, OS, Arch, WindowsRelease string }

var bundleFieldNames = []string{"Product", "Version", "Group", "OS", "Arch", "WindowsRelease"}

// bundles reads the bundles, each for its platforms and groups.
func (c *checker) bundles() {
	in := &c.in.Airgap.Bundles
	if len(*in) == 0 && !c.Bad(in) {
		c.out.Airgap.Bundles = c.defaultBundles()
	}
	given := map[string]*bundleYAML{} // by name
	forEach(*in, func(b *bundleYAML) {
		for _, made := range c.bundle(b) {
			if was := given[made.Name]; was != nil && (!was.ListOnly || !b.ListOnly) {
				c.Errorf(&b.Name, "there are two of bundle %s: rename one, or use {{.Group}}, {{.OS}}, {{.Arch}} "+
					"and {{.WindowsRelease}} in the name", made.Name)
				continue
			}
			given[made.Name] = b
			c.out.Airgap.Bundles = append(c.out.Airgap.Bundles, made)
		}
	})
	if len(c.Errors) > 0 {
		return
	}
	forEach(*in, c.bundleBase)
	for n := range c.in.Airgap.Groups {
		g := &c.in.Airgap.Groups[n]
		if !slices.ContainsFunc(c.out.Airgap.Bundles, func(b Bundle) bool {
			return !b.ListOnly && (len(b.Groups) == 0 || slices.Contains(b.Groups, g.Name))
		}) {
			c.Errorf(&g.Name, "no bundle has group %s: name it under groups of one, or take it out", g.Name)
		}
	}
}

// defaultBundles are one for each platform, one for all, and one for each group and platform.
func (c *checker) defaultBundles() []Bundle {
	var all []Bundle
	product := c.in.Name
	for _, p := range c.out.Platforms {
		all = append(all, Bundle{Name: product + "-images." + p.Slug(), Platform: p})
	}
	all = append(all, Bundle{Name: product + "-images"})
	for _, g := range c.out.Airgap.Groups {
		for _, p := range c.out.Platforms {
			all = append(all, Bundle{
				Name: product + "-images-" + g.Name + "." + p.Slug(), Platform: p, Groups: []string{g.Name},
			})
		}
	}
	return all
}

// bundle returns the bundles of an entry.
func (c *checker) bundle(in *bundleYAML) (all []Bundle) {
	var platforms []platform.Platform
	if in.Platform != "" && len(in.Platforms) > 0 {
		c.Errorf(&in.Platform, "platform and platforms are both there: keep one of them")
	}
	for _, s := range append([]*string{&in.Platform}, each(in.Platforms, func(s *string) *string { return s })...) {
		if *s == "" {
			continue
		}
		p, ok := c.platform(s, platforms)
		if !ok {
			return nil
		}
		if same, ok := findPlatform(c.out.Platforms, p); ok {
			p = same
		} else if !c.partly() {
			c.Errorf(s, "the release has no platform %s: use one of %s", *s, formatAll(c.out.Platforms))
		}
		platforms = append(platforms, p)
	}
	if len(platforms) == 0 {
		platforms = []platform.Platform{{}}
	}
	c.once(in.Groups)
	forEach(in.Groups, func(s *string) { c.refer(s, c.groupNames) })
	groups := [][]string{in.Groups}
	if strings.Contains(in.Name, ".Group") && len(in.Groups) > 0 {
		groups = nil
		for _, g := range in.Groups {
			groups = append(groups, []string{g})
		}
	}
	for _, g := range groups {
		for _, p := range platforms {
			name, ok := c.bundleName(in, g, p)
			if !ok {
				return all
			}
			all = append(all, Bundle{
				Name: name, Platform: p, Groups: g, ListOnly: in.ListOnly, Pos: c.Pos(&in.Name), sparse: in.Sparse,
			})
		}
	}
	return all
}

// bundleName fills in the name of a bundle, and checks it.
func (c *checker) bundleName(in *bundleYAML, groups []string, p platform.Platform) (string, bool) {
	if in.Name == "" {
		return "", false
	}
	f := bundleFields{
		Product: c.out.Name, Version: c.out.Version, OS: p.OS, Arch: p.Architecture + p.Variant,
		Group: strings.Join(groups, "-"),
	}
	if p.OS == platform.Windows {
		f.WindowsRelease = platform.Release(p.OSVersion)
	}
	name, err := expand(in.Name, f, bundleFieldNames, nil)
	switch {
	case err != nil:
		c.Errorf(&in.Name, "%v", err)
	case !fileForm.MatchString(name) && name == in.Name:
		c.checkForm(&in.Name, "bundle", fileForm)
	case !fileForm.MatchString(name) || len(name) > 2*maxName:
		c.Errorf(&in.Name, "%q yields the file name %q: start with a letter or digit and use letters, digits, "+
			". _ and -, at most %d in all", in.Name, name, 2*maxName)
	default:
		return name, true
	}
	return "", false
}

// bundleBase finds the bundles whose layers a sparse bundle lacks.
func (c *checker) bundleBase(in *bundleYAML) {
	if !in.Sparse {
		return
	}
	if in.ListOnly {
		c.Errorf(&in.Sparse, "a list has no layers: take sparse out")
		return
	}
	at := c.Pos(&in.Name)
	for n := range c.out.Airgap.Bundles {
		b := &c.out.Airgap.Bundles[n]
		if b.Pos != at || b.ListOnly {
			continue
		}
		base, err := c.baseOf(*b)
		if err != nil {
			c.Errorf(&in.Sparse, "%v", err)
			return
		}
		b.Base = base
	}
}

// baseOf returns the name of the bundle that a sparse one completes.
func (c *checker) baseOf(b Bundle) (string, error) {
	if len(b.Groups) == 0 {
		return "", fmt.Errorf("bundle %s has all images, and so adds to no group: "+
			"take sparse out, or name groups", b.Name)
	}
	to := ""
	for n, name := range b.Groups {
		g := find(c.out.Airgap.Groups, func(g Group) bool { return g.Name == name })
		if g.AddsTo == "" {
			return "", fmt.Errorf("bundle %s is sparse, and group %s adds to no other: name that under addsTo, "+
				"or take sparse out", b.Name, name)
		}
		if n > 0 && g.AddsTo != to {
			return "", fmt.Errorf("bundle %s is sparse, and its groups add to %s and to %s: "+
				"make a bundle for each", b.Name, to, g.AddsTo)
		}
		to = g.AddsTo
	}
	for _, o := range c.out.Airgap.Bundles {
		if !o.ListOnly && !o.sparse && slices.Equal(o.Groups, []string{to}) && platform.Same(o.Platform, b.Platform) {
			return o.Name, nil
		}
	}
	return "", fmt.Errorf("bundle %s lacks what group %s has, and no complete bundle has that group alone "+
		"for %s: add one", b.Name, to, serves(b.Platform))
}

// serves is what messages call the platform of a bundle.
func serves(p platform.Platform) string {
	if p.IsZero() {
		return "all platforms"
	}
	return p.String()
}
