package references

import (
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/workload"
)

// groups returns the groups that what an object names is in: by the chart that it comes from, and
// by its labels.
func (f *finder) groups(m Manifest, o workload.Object) (all []string) {
	all = f.groupsOf(m)
	labels := labelsOf(o)
	for _, g := range f.product.Airgap.Groups {
		if g.Selector != nil && g.Selector.Matches(labels) {
			all = append(all, g.Name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// groupsOf returns the groups that all images of a chart are in.
func (f *finder) groupsOf(m Manifest) (all []string) {
	for _, g := range f.product.Airgap.Groups {
		if m.Chart != "" && slices.Contains(g.Charts, m.Chart) {
			all = append(all, g.Name)
		}
	}
	return all
}

// annotated adds what annotations of a chart list, and nothing else names: an object knows which
// nodes run an image.
func (f *finder) annotated(m Manifest) {
	groups := f.groupsOf(m)
	slices.Sort(groups)
	for _, a := range m.Annotated {
		i := parse(strings.TrimSpace(a.Reference))
		if i == nil {
			continue // lint reports malformed references
		}
		if owner := f.product.Owner(i.ref.Context()); owner != "" {
			f.own[owner] = merge(f.own[owner], groups)
			continue
		}
		i.Pos, i.Groups, i.annotated = a.Pos, groups, true
		if by := f.named(i); by != nil {
			by.Groups = merge(by.Groups, groups)
			continue
		}
		f.add(i, m, "annotation "+a.Annotation)
	}
}

// named returns the image as an object names it, by its digest or its tag; nil if none does.
func (f *finder) named(i *Image) *Image {
	for _, have := range f.images {
		same := have.key() == i.key() || i.tag != "" && have.tag == i.tag && (!i.pinned() || !have.pinned())
		if same && !have.annotated {
			return have
		}
	}
	return nil
}

// labelsOf returns the labels of an object, of which one that is not text is none.
func labelsOf(o workload.Object) labels.Set {
	all := labels.Set{}
	if n := yamlfile.Value(o.Node, "metadata", "labels"); n != nil {
		_ = n.Decode(&all) // only a map of texts has labels
	}
	return all
}

// listed adds the images of a group's lists.
func (f *finder) listed(g product.Group) {
	for _, t := range g.Listed {
		i := parse(t.Text)
		if i == nil {
			continue // the parser has reported it
		}
		if owner := f.product.Owner(i.ref.Context()); owner != "" {
			f.own[owner] = merge(f.own[owner], []string{g.Name})
			continue
		}
		i.Pos, i.Field, i.Listed, i.Groups = t.Pos, true, []string{g.Name}, []string{g.Name}
		f.add(i, Manifest{}, t.From[0])
	}
}

// merge joins two lists of groups, sorted.
func merge(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// groups adds the groups that name images themselves, and those of the product's images.
func (a *adder) groups(own map[string][]string) {
	if len(a.product.Airgap.Groups) == 0 {
		return
	}
	whole := &a.product // also where platforms or images are selected
	if whole.Unselected != nil {
		whole = whole.Unselected
	}
	a.product.Airgap.Members = map[string][]string{}
	for _, i := range whole.Images {
		a.product.Airgap.Members[i.Name] = own[i.Name]
	}
	for _, g := range a.product.Airgap.Groups {
		for _, pattern := range g.Images {
			used := slices.ContainsFunc(whole.Airgap.Images, func(t product.ThirdParty) bool {
				return product.Matches(pattern, t.Text)
			})
			for _, i := range whole.Images {
				if ok, err := path.Match(pattern, i.Name); ok && err == nil {
					used = true
					a.product.Airgap.Members[i.Name] = merge(a.product.Airgap.Members[i.Name], []string{g.Name})
				}
			}
			for n := range a.product.Airgap.Images {
				if t := &a.product.Airgap.Images[n]; product.Matches(pattern, t.Text) {
					used = true
					t.Groups = merge(t.Groups, []string{g.Name})
				}
			}
			if !used {
				a.wrong.At(g.Pos, "group %s names %s, and the release has no such image: correct it, or take it out",
					g.Name, pattern)
			}
		}
	}
}
