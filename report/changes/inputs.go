package changes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// Input is an input of a release that is not what it was in an earlier one.
type Input struct {
	Input string `json:"input"` // "version", "go", "source kpack", "image controller for linux/amd64: base"
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
}

// String returns the change as messages have it: "source kpack: module a@v1 → a@v2".
func (i Input) String() string {
	switch {
	case i.From == "":
		return i.Input + ": new, " + i.To
	case i.To == "":
		return i.Input + ": gone, was " + i.From
	}
	return i.Input + ": " + i.From + " → " + i.To
}

// inputs are those that differ.
type inputs []Input

func (all *inputs) compare(input, from, to string) {
	if from != to {
		*all = append(*all, Input{input, from, to})
	}
}

// Inputs returns the inputs in which a release differs from an earlier one, in the order of its
// lock. With whole the release has all of its images; without, the images, platforms and charts
// that only the earlier release has are not differences.
func Inputs(old, now *lock.Lock, whole bool) []Input {
	var all inputs
	all.compare("product", old.Name, now.Name)
	all.compare("version", old.Version, now.Version)
	all.compare("go", old.Go, now.Go)
	const form = "2006-01-02T15:04:05Z"
	all.compare("time", old.Created.Format(form), now.Created.Format(form))
	compareLists(&all, old.Sources, now.Sources, true, sourceText)
	compareLists(&all, old.Prebuilt, now.Prebuilt, false, func(p lock.Prebuilt) (input, text string) {
		return fmt.Sprintf("program %s for %s", p.Name, p.Platform), p.Digest.String()
	})
	for _, i := range now.Images {
		if was, ok := old.Image(i.Name); ok {
			all.image(was, i, whole)
		} else {
			all.compare("image "+i.Name, "", fmt.Sprintf("for %d platforms", len(i.Children)))
		}
	}
	if !whole {
		return all
	}
	compareLists(&all, old.Charts, now.Charts, true, func(c lock.Chart) (input, text string) {
		return "chart " + c.Name, c.Version
	})
	for _, i := range old.Images {
		if _, ok := now.Image(i.Name); !ok {
			all.compare("image "+i.Name, i.Digest.String(), "")
		}
	}
	return all
}

// compareLists adds what differs between two lists, of which each element is an input. With gone,
// what only the old one has follows.
func compareLists[E any](all *inputs, old, now []E, gone bool, describe func(E) (input, text string)) {
	texts := map[string]string{}
	for _, e := range old {
		input, text := describe(e)
		texts[input] = text
	}
	for _, e := range now {
		input, text := describe(e)
		all.compare(input, texts[input], text)
		delete(texts, input)
	}
	for _, e := range old {
		if input, _ := describe(e); gone {
			all.compare(input, texts[input], "")
		}
	}
}

// sourceText returns what a source is: module and hash, or the commit of a directory. The files
// of a directory with changes are not known by it.
func sourceText(s lock.Source) (input, text string) {
	if s.Module != "" {
		return "source " + s.Name, strings.TrimSpace(s.Module + " " + s.Sum)
	}
	return "source " + s.Name, "commit " + cmp.Or(s.Revision, "unknown")
}

// image compares the platforms of an image, and what it is built on.
func (all *inputs) image(old, now lock.Image, whole bool) {
	find := func(list []lock.Child, c lock.Child) int {
		return slices.IndexFunc(list, func(o lock.Child) bool { return platform.Same(o.Platform, c.Platform) })
	}
	for _, c := range now.Children {
		input := fmt.Sprintf("image %s for %s", now.Name, c.Platform)
		n := find(old.Children, c)
		if n < 0 {
			all.compare(input, "", "platform")
			continue
		}
		was := old.Children[n]
		all.compare(input+": base", baseOf(was), baseOf(c))
		all.compare(input+": taken", takenText(was), takenText(c))
		for _, b := range c.CopiedFrom {
			if !slices.ContainsFunc(was.CopiedFrom, func(o lock.Base) bool { return BaseText(&o) == BaseText(&b) }) {
				all.compare(input+": files", "", "from "+BaseText(&b))
			}
		}
	}
	for _, c := range old.Children {
		if whole && find(now.Children, c) < 0 {
			all.compare(fmt.Sprintf("image %s for %s", now.Name, c.Platform), "platform", "")
		}
	}
}

// baseOf returns what a manifest is built on, as far as that is known.
func baseOf(c lock.Child) string {
	if c.Base == nil && c.Prebuilt != nil {
		return "not known"
	}
	return BaseText(c.Base)
}

// takenText returns where a manifest of another builder comes from; "" for one that was built.
func takenText(c lock.Child) string {
	if c.Prebuilt == nil {
		return ""
	}
	from, _, _ := strings.Cut(c.Prebuilt.From, "@")
	return from + "@" + c.Digest.String()
}

// BaseText returns what a base is. A reference to a registry has its digest.
func BaseText(b *lock.Base) string {
	switch {
	case b == nil:
		return "scratch"
	case b.Stub:
		return "a stub of " + b.Name
	case strings.Contains(b.Name, "@"):
		return b.Name
	case b.Digest == (v1.Hash{}) && strings.HasPrefix(b.Name, "builtin:"):
		return b.Name
	case b.Digest == (v1.Hash{}):
		return b.Name + ", not pinned"
	}
	return b.Name + "@" + b.Digest.String()
}
