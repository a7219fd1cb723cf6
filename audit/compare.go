package audit

import (
	"fmt"
	"path"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/lint"
)

// comparison compares index.json with manifest.json, where an archive has both.
type comparison struct {
	*contents

	to *lint.Archive
	// names are those of index.json with the configurations that they have there
	names map[string]map[string]bool
	// configs and tags are those of manifest.json
	configs, tags map[string]bool
}

func (c *contents) compare(a *lint.Archive) {
	images, err := manifestJSON(c, c.prefix)
	if err != nil {
		return
	}
	all := comparison{c, a, map[string]map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, l := range c.lists {
		key := whole(l.name)
		if all.names[key] == nil {
			all.names[key] = map[string]bool{}
		}
		for _, h := range l.configs {
			all.names[key][h] = true
		}
	}
	for _, i := range images {
		all.image(i)
	}
	for _, l := range c.lists {
		listed := func(h string) bool { return all.configs[h] }
		if len(l.configs) > 0 && !slices.ContainsFunc(l.configs, listed) && !all.tags[whole(l.name)] {
			a.Layout = append(a.Layout, l.name)
		}
	}
}

// image compares an image of manifest.json.
func (c comparison) image(i savedImage) {
	for _, file := range append(slices.Clone(i.Layers), i.Config) {
		c.used[c.prefix+clean(file)] = true
	}
	config := hashOf(i.Config)
	c.configs[config] = true
	differs := false
	for _, tag := range i.RepoTags {
		key := whole(tag)
		c.tags[key] = true
		c.contents.names.add("manifest.json", tag, "", config)
		if have := c.names[key]; len(have) > 0 && !have[config] {
			c.differ("%s is %s in manifest.json, and another image in index.json", tag, config)
			differs = true
		}
	}
	layers, ok := c.images[config]
	switch {
	case differs:
	case !ok:
		c.to.Docker = append(c.to.Docker, fmt.Sprintf("%s, with the configuration %s", i.name(), config))
	case !slices.EqualFunc(layers, i.Layers, func(h, file string) bool { return h == hashOf(file) }):
		c.differ("%s has other layers in manifest.json than in its manifest", i.name())
	}
}

func (c comparison) differ(format string, args ...any) {
	c.to.Differ = append(c.to.Differ, fmt.Sprintf(format, args...))
}

// nameList is what the documents of an archive name. The zero value is ready to use.
type nameList struct {
	digests map[[3]string]string
	twice   []string // lines on names that two images of a document have
}

// artifactKind is the annotation by which hauler and cosign save tell an image from its signatures,
// which they give the same name.
const artifactKind = "kind"

// add notes an image that a document names.
func (l *nameList) add(document, name, kind, digest string) {
	key := [3]string{document, whole(name), kind}
	if before, ok := l.digests[key]; ok && before != digest {
		l.twice = append(l.twice, fmt.Sprintf("%s names two images %.200s, %s and %s", document, name, before, digest))
	}
	if l.digests == nil {
		l.digests = map[[3]string]string{}
	}
	l.digests[key] = digest
}

// hashOf returns the digest that a file has by its name.
func hashOf(file string) string { return "sha256:" + digits.FindString(path.Base(file)) }

// whole returns the whole name of an image that manifest.json shortens as docker does.
func whole(text string) string {
	tag, err := name.NewTag(text)
	if err != nil {
		return text
	}
	return tag.Name()
}
