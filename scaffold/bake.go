package scaffold

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/scaffold/bake"
)

// bake adds the builds of a bake file, as far as its values are known. Those of targets that what
// publishes does not call are for developers.
func (d *Draft) bake(name string) {
	if path.Ext(name) == ".json" {
		for _, doc := range d.needed(name) {
			d.bakeJSON(name, yamlfile.Value(doc, "target"))
		}
		return
	}
	f := bake.Read(name, d.tree.text(name), d.bakeVariable)
	called := f.Called(d.bakeNames())
	for _, t := range f.Targets {
		if strings.HasPrefix(t.Label, "_") {
			continue
		}
		b := dockerBuild{
			at: place{name, t.Line}, rank: develops, args: t.Args, bake: t.Label, file: t.Dockerfile,
			context: t.Context,
			target:  t.Target, names: t.Tags, noPlatform: len(t.Platforms) == 0,
			platforms: splitPlatforms(strings.Join(t.Platforms, ",")),
		}
		if called[t.Label] {
			b.rank = d.publishers.of(name)
		}
		if slices.Contains(t.Inherits, metadataTarget) {
			b.names = append(b.names, d.metaNames...)
		}
		d.addBake(b)
	}
}

// bakeVariable returns the value that a publisher gives a variable, or else its default. A
// release gives the value of one that is called like a version.
func (d *Draft) bakeVariable(label, def string) string {
	unknown := "${" + label + "}"
	given := lazyregexp.New(`(?m)^[ \t]*(?:export[ \t]+)?` + regexp.QuoteMeta(label) + `[ \t]*[:=][ \t]*["']?([^"'\n]*)`)
	for _, file := range sortedKeys(d.publishers.texts) {
		if path.Ext(file) == ".hcl" {
			continue
		}
		if m := given.FindStringSubmatch(d.publishers.texts[file]); m != nil {
			if strings.Contains(m[1], "$") {
				return unknown
			}
			return strings.TrimSpace(m[1])
		}
	}
	if def == "" || versionArgument.MatchString(label) {
		return unknown
	}
	return def
}

// addBake adds a target, with what calls give it. Its Dockerfile is in its context.
func (d *Draft) addBake(b dockerBuild) {
	for _, s := range d.bakeSets {
		if ok, _ := path.Match(s.targets, b.bake); ok && s.rank >= b.rank {
			b.set(s)
		}
	}
	b.context, b.file = cmp.Or(b.context, "."), cmp.Or(b.file, "Dockerfile")
	if in := path.Join(b.context, b.file); d.tree.has(in) {
		b.file = in
	}
	d.addBuild(b)
}

func (d *Draft) bakeJSON(name string, targets *yaml.Node) {
	for label, t := range pairs(targets) {
		b := dockerBuild{
			at: place{name, t.Line}, rank: d.publishers.of(name), file: yamlfile.Text(t, "dockerfile"),
			context: yamlfile.Text(t, "context"),
			target:  yamlfile.Text(t, "target"), args: map[string]string{}, names: texts(t, "tags"),
			platforms: texts(t, "platforms"), bake: label,
		}
		scalars(yamlfile.Value(t, "args"), "", b.args)
		d.addBake(b)
	}
}
