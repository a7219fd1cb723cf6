package scaffold

import (
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// limits bound untrusted YAML.
var limits = yamlfile.Options{
	MaxBytes: maxText, MaxValues: 100_000, MaxText: 8 << 20, MaxDepth: 100,
	MergeKeys: true, Stream: true,
}

// yaml returns the documents of a file that can be read.
func (d *Draft) yaml(name string) []*yaml.Node {
	text := d.tree.text(name)
	if text == nil {
		return nil
	}
	f := yamlfile.Read(name, text, limits)
	if f.Err() != nil {
		return nil
	}
	return f.Documents
}

// first returns the first document of the first of these files that is there.
func (d *Draft) first(names ...string) (string, *yaml.Node) {
	for _, name := range names {
		if !d.tree.has(name) {
			continue
		}
		if docs := d.yaml(name); len(docs) > 0 {
			return name, docs[0]
		}
		d.hand("%s is not YAML that can be read: what it says is not in slipway.yaml", name)
	}
	return "", nil
}

// items returns the items of a list.
func items(n *yaml.Node, path ...any) []*yaml.Node {
	if v := yamlfile.Value(n, path...); v != nil && v.Kind == yaml.SequenceNode {
		return v.Content
	}
	return nil
}

// pairs yields the keys and the values of a mapping.
func pairs(n *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for pair := range slices.Chunk(n.Content, 2) {
			if !yield(pair[0].Value, pair[1]) {
				return
			}
		}
	}
}

// scalars adds the scalars of a mapping under their names, of inner ones with a dot.
func scalars(n *yaml.Node, prefix string, to map[string]string) {
	for key, v := range pairs(n) {
		if v.Kind == yaml.ScalarNode {
			to[prefix+key] = v.Value
		} else {
			scalars(v, prefix+key+".", to)
		}
	}
}

// texts returns a string, or the strings of a list.
func texts(n *yaml.Node, path ...any) []string {
	v := yamlfile.Value(n, path...)
	if v == nil {
		return nil
	}
	if v.Kind == yaml.ScalarNode {
		return []string{v.Value}
	}
	var list []string
	for _, i := range items(v) {
		if i.Kind == yaml.ScalarNode {
			list = append(list, i.Value)
		}
	}
	return list
}

// ko reads .ko.yaml. What it says of compiling is not repeated, since a release reads it there.
func (d *Draft) ko() {
	name, n := d.first(path.Join(d.source.dir, ".ko.yaml"))
	if n == nil {
		return
	}
	d.koBases = map[string]string{"": yamlfile.Text(n, "defaultBaseImage")}
	for pkg, ref := range pairs(yamlfile.Value(n, "baseImageOverrides")) {
		d.koBases[pkg] = ref.Value
	}
	d.toolPlatforms = append(d.toolPlatforms, texts(n, "defaultPlatforms")...)
	d.found("%s: %d base images; its builds are read by a release itself", name, len(d.koBases))
}

// promu reads .promu.yml, of Prometheus' projects.
func (d *Draft) promu() {
	name, n := d.first(path.Join(d.source.dir, ".promu.yml"))
	if n == nil {
		return
	}
	for _, b := range items(n, "build", "binaries") {
		d.goBuild("-o "+yamlfile.Text(b, "name")+" "+yamlfile.Text(b, "path"), "")
	}
	d.ldflags(strings.Join(strings.Fields(yamlfile.Text(n, "build", "ldflags")), " "), name)
	if yamlfile.Text(n, "go", "cgo") == "true" {
		d.noteCgo(name, "")
	}
	d.source.tags = append(d.source.tags, texts(n, "build", "tags", "all")...)
	for _, b := range items(n, "build", "binaries") {
		if m, ok := d.main(yamlfile.Text(b, "name")); ok {
			d.archived = append(d.archived, d.program(m, yamlfile.Text(b, "name")))
		}
	}
	if files := texts(n, "tarball", "files"); len(files) > 0 {
		d.leave("%s packs %s into each archive: files of the artifact names a directory of such", name, listed(files))
	}
	for _, p := range texts(n, "crossbuild", "platforms") {
		if p == "windows/arm64" || p == "windows/386" || strings.HasPrefix(p, "darwin/") {
			d.artifactPlatforms = append(d.artifactPlatforms, p)
		}
	}
	d.toolPlatforms = append(d.toolPlatforms, texts(n, "crossbuild", "platforms")...)
	d.found("%s: programs, flags of the linker and platforms", name)
}

// goreleaser reads .goreleaser.yaml.
func (d *Draft) goreleaser() {
	var names []string
	for _, ext := range []string{"yaml", "yml"} {
		names = append(names, ".goreleaser."+ext, "goreleaser."+ext)
	}
	name, n := d.first(names...)
	if n == nil {
		return
	}
	for _, b := range items(n, "builds") {
		if yamlfile.Text(b, "builder") != "" && yamlfile.Text(b, "builder") != "go" {
			d.hand("%s builds %s with %s: only Go programs are carried over", name, yamlfile.Text(b, "binary"),
				yamlfile.Text(b, "builder"))
			continue
		}
		main := strings.TrimSuffix(yamlfile.Text(b, "main"), "/main.go")
		d.goBuild("-o "+yamlfile.Text(b, "binary")+" "+main, strings.TrimPrefix(yamlfile.Text(b, "dir"), "./"))
		for _, l := range texts(b, "ldflags") {
			d.ldflags(l, name)
		}
		if slices.Contains(texts(b, "env"), "CGO_ENABLED=1") {
			d.noteCgo(name, "")
		}
		for _, os := range texts(b, "goos") {
			for _, arch := range texts(b, "goarch") {
				d.toolPlatforms = append(d.toolPlatforms, os+"/"+arch)
			}
		}
		if m, ok := d.main(yamlfile.Text(b, "binary")); ok {
			d.archived = append(d.archived, d.program(m, yamlfile.Text(b, "binary")))
		}
	}
	d.releaserImages(name, n)
	for _, key := range []string{"nfpms", "brews", "signs", "sboms", "changelog", "snapcrafts", "winget", "scoops"} {
		if yamlfile.Value(n, key) != nil {
			d.left = append(d.left, fmt.Sprintf("%s has %s, which a release here does not make", name, key))
		}
	}
	d.found("%s: programs, flags of the linker, archives and platforms", name)
}
