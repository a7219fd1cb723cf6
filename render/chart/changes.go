package chart

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// change is an attempt to give a reference its name and digest.
type change func(*Chart) (*Chart, error)

// edit is a new text for a value, or for a key next to it.
type edit struct {
	value *value
	key   string // "" is the value itself
	text  string
}

// digestKey matches the keys that charts have for digests.
var digestKey = lazyregexp.New(`(?i)digest|^sha(256)?(sum)?$`)

// changes returns the changes that may pin a use, the best first: a value of its own for the
// digest, the value of the complete reference, the tag with the digest, the text of the template.
func (p *pinner) changes(u use, image *Image) []change {
	base, _, _ := strings.Cut(u.Reference, "@")
	repository, tag := splitTag(base)
	named := named{image: *image, repository: repository, tag: tag, parts: p.parts[u.key()]}
	if named.image.Tag == "" {
		named.image.Tag = tag
	}
	rename := func(c *Chart) (*Chart, error) { return c, nil }
	if len(named.name()) == 0 && named.complete() == nil && !sameRepository(repository, image.Repository) {
		rename = func(c *Chart) (*Chart, error) { return p.inTemplate(c, u, repository, image.Repository) }
	}
	var all []change
	names := named.names()
	for _, digest := range named.digests(p.chart) {
		for _, n := range names {
			all = append(all, both(rename, p.apply(u, slices.Concat(n, digest))))
		}
	}
	all = append(all, func(c *Chart) (*Chart, error) {
		return p.inTemplate(c, u, u.Reference, named.image.name()+"@"+image.Digest)
	})
	for _, n := range names {
		all = append(all, both(both(rename, p.apply(u, slices.Concat(n, named.retag()))),
			func(c *Chart) (*Chart, error) { return p.guard(c, u, image) }))
	}
	return all
}

// both returns a change that does one and then another.
func both(one, two change) change {
	return func(c *Chart) (*Chart, error) {
		c, err := one(c)
		if err != nil {
			return nil, err
		}
		return two(c)
	}
}

// name returns the reference without the digest.
func (i *Image) name() string {
	if i.Tag == "" {
		return i.Repository
	}
	return i.Repository + ":" + i.Tag
}

// apply returns a change that does edits of different values.
func (p *pinner) apply(u use, edits []edit) change {
	last := map[*yaml.Node]edit{} // the last text of a value counts
	var list []edit
	for _, e := range edits {
		if e.key != "" {
			list = append(list, e)
		} else {
			last[e.value.node] = e
		}
	}
	for _, e := range last {
		list = append(list, e)
	}
	// An edit moves what follows, so the later ones come first; of one value, the key behind it.
	slices.SortFunc(list, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.value.file, b.value.file), b.value.node.Line-a.value.node.Line,
			b.value.node.Column-a.value.node.Column, -cmp.Compare(a.key, b.key))
	})
	return func(c *Chart) (_ *Chart, err error) {
		for _, e := range list {
			if err := p.alone(u, e.value.charts, e.value); err != nil {
				return nil, err
			}
			if e.key != "" {
				c, err = c.insert(e.value, e.key, e.text)
			} else {
				c, err = c.set(e.value, e.text)
			}
			if err != nil {
				return nil, err
			}
		}
		return c, nil
	}
}

// named is a reference and what it becomes.
type named struct {
	image           Image
	repository, tag string
	parts           []part
}

// name returns the values of the repository, in their order.
func (n named) name() (all []part) {
	for _, t := range n.parts {
		if t.end <= len(n.repository) {
			all = append(all, t)
		}
	}
	return all
}

// tagPart returns the value in the tag; nil if no value is in it.
func (n named) tagPart() *part {
	for i, t := range n.parts {
		if t.start > len(n.repository) && t.start <= len(n.repository)+len(n.tag) {
			return &n.parts[i]
		}
	}
	return nil
}

// complete returns the value that has repository and tag.
func (n named) complete() *value {
	for _, t := range n.parts {
		if t.start == 0 && t.end > len(n.repository) && n.tag != "" || t.start == 0 && n.tag == "" &&
			t.end == len(n.repository) {
			return t.value
		}
	}
	return nil
}

// names returns edits that give the repository its new name, each of them an attempt.
func (n named) names() [][]edit {
	if sameRepository(n.repository, n.image.Repository) {
		return [][]edit{nil}
	}
	parts, to := n.name(), n.image.Repository
	if len(parts) == 0 {
		return [][]edit{nil}
	}
	last := parts[len(parts)-1]
	all := [][]edit{{{value: last.value, text: to}}}
	if rest, ok := strings.CutPrefix(to, n.repository[:last.start]); ok && last.start > 0 {
		all = append([][]edit{{{value: last.value, text: rest}}}, all...)
	}
	if len(parts) > 1 {
		first := parts[0]
		registry, rest, _ := strings.Cut(to, "/")
		slash := strings.LastIndexByte(to, '/')
		lead := ""
		if strings.HasPrefix(last.value.node.Value, "/") {
			lead = "/"
		}
		all = append(all,
			[]edit{{value: first.value, text: registry}, {value: last.value, text: lead + rest}},
			[]edit{{value: first.value, text: to[:slash]}, {value: last.value, text: lead + to[slash+1:]}},
			[]edit{{value: first.value, text: ""}, {value: last.value, text: to}})
		if len(parts) == 3 && len(registry) < slash { // registry, namespace and name
			all = append(all, []edit{
				{value: first.value, text: registry},
				{value: parts[1].value, text: to[len(registry)+1 : slash]},
				{value: last.value, text: lead + to[slash+1:]},
			})
		}
	}
	return all
}

// retag returns the edit that gives the reference another tag.
func (n named) retag() []edit {
	t := n.tagPart()
	if t == nil || n.image.Tag == n.tag {
		return nil
	}
	prefix, suffix := n.tag[:t.start-len(n.repository)-1], n.tag[min(len(n.tag), t.end-len(n.repository)-1):]
	text, ok := strings.CutPrefix(n.image.Tag, prefix)
	if text, ok2 := strings.CutSuffix(text, suffix); ok && ok2 {
		return []edit{{value: t.value, text: text}}
	}
	return nil
}

// digests returns edits that give the reference its digest, each of them an attempt.
func (n named) digests(c *Chart) [][]edit {
	digest := n.image.Digest
	var all [][]edit
	near := n.near()
	for _, v := range near {
		for _, own := range v.siblings(digestKey.MatchString) {
			_, hex, _ := strings.Cut(digest, ":")
			all = append(all, append(n.retag(), edit{value: own, text: digest}),
				append(n.retag(), edit{value: own, text: hex}))
		}
	}
	if complete := n.complete(); complete != nil {
		all = append(all, []edit{{value: complete, text: n.image.name() + "@" + digest}})
	}
	for _, v := range near {
		if c.mentions("digest") && v.key != nil {
			all = append(all, append(n.retag(), edit{value: v, key: "digest", text: digest}))
		}
	}
	tag := n.image.Tag + "@" + digest
	if t := n.tagPart(); t != nil {
		if n.sharesTag(c, t.value) {
			return all
		}
		return append(all, []edit{{value: t.value, text: tag}})
	}
	for _, v := range near {
		if own := v.siblings(func(key string) bool { return key == "tag" }); len(own) > 0 {
			all = append(all, []edit{{value: own[0], text: tag}})
		} else if c.mentions("tag") && v.key != nil {
			all = append(all, []edit{{value: v, key: "tag", text: tag}})
		}
	}
	return all
}

// imageText matches the lines of templates that make a reference.
var imageText = lazyregexp.New(`(?i)image(:|=| :=)`)

// sharesTag reports whether a line of a template makes the reference of another repository with
// the value of the tag. Perhaps no case renders it; it must not get the digest.
func (n named) sharesTag(c *Chart, tag *value) bool {
	mentioned := func(v *value) string { return ".Values." + yamlfile.Path("", v.path...) }
	own := n.repository
	if name := n.name(); len(name) > 0 {
		own = mentioned(name[len(name)-1].value) // the part before it differs for a mirror
	}
	used := regexp.MustCompile(regexp.QuoteMeta(mentioned(tag)) + `([^\w.-]|$)`)
	for _, f := range c.files {
		if !isTemplate(f.Path) {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			if imageText.MatchString(line) && used.MatchString(line) && !strings.Contains(line, own) {
				return true
			}
		}
	}
	return false
}

// near returns the values in whose maps a digest may be: that of the tag, and those of the
// repository, the last first.
func (n named) near() []*value {
	var all []*value
	if t := n.tagPart(); t != nil {
		all = append(all, t.value)
	}
	for _, t := range slices.Backward(n.name()) {
		all = append(all, t.value)
	}
	return all
}

// mentions reports whether a template uses a field of that name.
func (c *Chart) mentions(field string) bool {
	use := regexp.MustCompile(fmt.Sprintf(`[."]%s\b`, regexp.QuoteMeta(field)))
	for _, f := range c.files {
		if strings.Contains("/"+f.Path, "/templates/") && use.Match(f.Data) {
			return true
		}
	}
	return false
}
