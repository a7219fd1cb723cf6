package kustomize

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// field is a field that names files, by its keys. On the way to it, lists are read item by item.
type field struct {
	keys string // joined by dots
	what what
}

// what describes the text of a field.
type what int

const (
	file      what = iota
	inline         // a file, or YAML
	resource       // a file, or the directory of a kustomization
	directory      // of a kustomization
	plugin         // as resource, or YAML, which configures a transformer or generator
	keyed          // a file, or NAME=FILE
)

var kustomizationFields = []field{
	{"resources", resource},
	{"bases", directory},
	{"components", directory},
	{"generators", plugin},
	{"transformers", plugin},
	{"validators", plugin},
	{"crds", file},
	{"configurations", file},
	{"openapi.path", file},
	{"patchesStrategicMerge", inline},
	{"patches.path", file},
	{"patchesJson6902.path", file},
	{"replacements.path", file},
	{"configMapGenerator.files", keyed},
	{"configMapGenerator.envs", file},
	{"configMapGenerator.env", file},
	{"secretGenerator.files", keyed},
	{"secretGenerator.envs", file},
	{"secretGenerator.env", file},
}

// pluginFields are those of the configurations of kustomize's own transformers and generators.
var pluginFields = []field{
	{"path", file},
	{"paths", inline},
	{"replacements.path", file},
	{"files", keyed},
	{"envs", file},
	{"env", file},
}

// walker reads the references of one file, which start in a directory of the tree.
type walker struct {
	*collector

	file *yamlfile.File
	dir  string
	at   yamlfile.Pos // of everything, for a text within another file
}

func (w *walker) pos(n *yaml.Node) yamlfile.Pos {
	if w.at.Line > 0 {
		return w.at
	}
	return w.file.Pos(n)
}

// refuse reports the Helm charts of a kustomization: kustomize runs helm for them.
func (w *walker) refuse(n *yaml.Node) {
	for _, key := range []string{"helmCharts", "helmChartInflationGenerator"} {
		if k, _ := yamlfile.Field(n, key); k != nil {
			w.At(w.pos(k),
				"%s makes kustomize run helm: take it out, and render the chart by release.helm of slipway.yaml", key)
		}
	}
}

// replaced has the fields that kustomize has deprecated, with what replaces them.
var replaced = []struct{ old, by string }{
	{"bases", "resources"},
	{"commonLabels", "labels"},
	{"imageTags", "images"},
	{"patchesJson6902", "patches"},
	{"patchesStrategicMerge", "patches"},
	{"vars", "replacements"},
}

// deprecated warns of fields that a later kustomize may drop.
func (w *walker) deprecated(n *yaml.Node) {
	if w.options.Warn == nil {
		return
	}
	for _, r := range replaced {
		if k, _ := yamlfile.Field(n, r.old); k != nil {
			w.options.Warn(w.pos(k),
				r.old+" is deprecated in kustomize: write "+r.by+" in its place, as kustomize edit fix does")
		}
	}
}

func (w *walker) fields(n *yaml.Node, all []field) {
	for _, f := range all {
		w.descend(n, strings.Split(f.keys, "."), f.what)
	}
}

func (w *walker) descend(n *yaml.Node, keys []string, is what) {
	switch {
	case n == nil:
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			w.descend(item, keys, is)
		}
	case len(keys) > 0:
		_, v := yamlfile.Field(n, keys[0])
		w.descend(v, keys[1:], is)
	case n.Kind == yaml.ScalarNode && n.Value != "":
		w.entry(n, is)
	}
}

// entry reads what a text of a field names.
func (w *walker) entry(n *yaml.Node, is what) {
	text, at := n.Value, w.pos(n)
	if (is == inline || is == plugin) && isMapping(text) {
		if is == plugin {
			w.plugin(at.File, []byte(text), at)
		}
		return
	}
	if is == keyed {
		if _, name, ok := strings.Cut(text, "="); ok {
			text = name
		}
	}
	if remote.MatchString(text) {
		w.At(at, "%s is not in the tree: a release is made from files that are there; add a copy, "+
			"or a Go module that has it under sources", text)
		return
	}
	name := path.Join(w.dir, text)
	switch {
	case path.IsAbs(text):
		w.At(at, "%s is an absolute path: write one that starts in the directory of the kustomization", text)
		return
	case name == ".." || strings.HasPrefix(name, "../"):
		w.At(at, "%s leads out of the files of the product: put a copy there", text)
		return
	}
	fi, err := w.root.Stat(name)
	isDir := err == nil && fi.IsDir()
	switch {
	case isDir && is != file && is != inline && is != keyed:
		w.kustomization(name, at, n)
	case isDir:
		w.At(at, "%s is a directory: name a file", text)
	case is == directory && err == nil:
		w.At(at, "%s is a file: name the directory of a kustomization", text)
	case err == nil && name != w.dir && w.dir != "." && !strings.HasPrefix(name, w.dir+"/"):
		w.At(at, "kustomize reads files of its own directory only, and %s is above: "+
			"make a kustomization there, and name its directory", text)
	case w.read(name, at) && is == plugin && !w.seen["plugin "+name]:
		w.seen["plugin "+name] = true
		w.plugin(w.options.Name(name), w.files[name], yamlfile.Pos{})
	}
}

// plugin reads the configurations of transformers and generators, which are a file, or a text at a
// position of the kustomization.
func (w *walker) plugin(name string, text []byte, at yamlfile.Pos) {
	f := yamlfile.Read(name, text, options)
	inner := &walker{collector: w.collector, file: f, dir: w.dir, at: at}
	for _, n := range f.Documents {
		version, kind := yamlfile.Text(n, "apiVersion"), yamlfile.Text(n, "kind")
		switch {
		case version != "builtin":
			w.At(inner.pos(n), "%s %s is a plugin, a program that kustomize would run: "+
				"use one of kustomize's own (apiVersion: builtin), or write its result into the tree", version, kind)
		case kind == "HelmChartInflationGenerator":
			w.At(inner.pos(n),
				"%s makes kustomize run helm: take it out, and render the chart by release.helm of slipway.yaml", kind)
		default:
			inner.fields(n, pluginFields)
		}
	}
}

// isMapping reports whether a text is YAML with fields rather than a path.
func isMapping(text string) bool {
	var n yaml.Node
	return yaml.Unmarshal([]byte(text), &n) == nil && len(n.Content) > 0 && n.Content[0].Kind != yaml.ScalarNode
}
