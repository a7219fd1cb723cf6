// Package kustomize builds kustomizations as the command kustomize build does, with its library
// (https://pkg.go.dev/sigs.k8s.io/kustomize/api/krusty), from files of one directory tree only.
//
// [Build] first reads every file that a kustomization refers to, and refuses what kustomize would
// get from elsewhere: remote resources, bases and components, files outside of the tree, plugins,
// and Helm charts, for which kustomize runs helm. Then kustomize sees these files in memory and
// nothing else.
//
// Kustomize notes the file that each object is from. [Object] has these notes as places of lines,
// as far as a line of the result has a line in such a file.
package kustomize

import (
	"context"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Object is an object that a kustomization makes.
type Object struct {
	Text []byte // YAML, as kustomize build writes it
	// Places are where the lines of Text are from, the first line being 1. The places have no
	// columns.
	Places map[int]yamlfile.Pos
}

// Options are settings of [Build].
type Options struct {
	// Name returns the name of a file of the tree for messages and places; nil uses its path in
	// the tree.
	Name func(file string) string
	// At is where the directory was named, for errors about the directory itself.
	At yamlfile.Pos
	// Warn gets a line for each field that kustomize has deprecated; nil drops it. The library
	// itself prints these to [os.Stderr], without a place.
	Warn func(at yamlfile.Pos, text string)
}

// Made is an object that kustomize has made.
type Made struct {
	Text []byte
	// From and By are the files that its annotation names: the resource, or the kustomization whose
	// generator made it. Both are relative to the directory that is built, and empty if there is
	// none.
	From, By string
}

// Engine builds the kustomization in a directory, such as /deploy, of files by absolute path.
// origins keeps kustomize's annotations of origins.
type Engine func(files map[string][]byte, dir string, origins bool) ([]Made, error)

var engine Engine = func(map[string][]byte, string, bool) ([]Made, error) {
	panic("render/kustomize: the program does not import package engine, which builds kustomizations")
}

// Use sets the engine of the program. The only one is in package engine, which calls kustomize's
// own library, and importing that package sets it: a program, or a test, that only reads the files
// of kustomizations is compiled without the library.
func Use(e Engine) { engine = e }

// Build returns the objects of the kustomization in dir, a slash-separated path in the directory
// tree. The error joins a [yamlfile.Error] for each mistake.
func Build(ctx context.Context, tree, dir string, o Options) ([]Object, error) {
	c, file, err := collect(tree, dir, o)
	if err != nil {
		return nil, err
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return c.build(ctx, path.Clean(dir), file)
}

// Files returns the files that [Build] reads for the kustomization in dir, slash-separated paths
// in the directory tree, sorted. Build reports problems of the kustomization.
func Files(tree, dir string) ([]string, error) {
	c, _, err := collect(tree, dir, Options{})
	if err != nil {
		return nil, err
	}
	slices.Sort(c.order)
	return c.order, nil
}

// explain returns the mistakes in the files where kustomize does not state which file it means.
func (c *collector) explain(file string, err error) error {
	for _, name := range c.order {
		f := yamlfile.Read(c.options.Name(name), c.files[name], options)
		c.Errors = append(c.Errors, f.Errors...)
	}
	if err := c.Err(); err != nil {
		return err
	}
	c.At(yamlfile.Pos{File: c.options.Name(file), Line: 1, Column: 1}, "kustomize cannot build this: %s",
		strings.Join(strings.Fields(err.Error()), " "))
	return c.Err()
}

// originAnnotations is the entry of buildMetadata that asks for annotations of origins.
const originAnnotations = "originAnnotations"

// noteOrigins makes kustomize annotate objects with their files, and reports whether the
// kustomization asks for that itself.
func (c *collector) noteOrigins(file string) (kept bool, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(c.files[file], &doc); err != nil {
		return false, err
	}
	top := &yaml.Node{}
	if len(doc.Content) > 0 {
		top = doc.Content[0]
	}
	fields := 0
	for i := 0; i+1 < len(top.Content); i += 2 {
		if key := top.Content[i].Value; key != "apiVersion" && key != "kind" {
			fields++
		}
	}
	list := yamlfile.Value(top, "buildMetadata")
	switch {
	case fields == 0:
		c.At(yamlfile.Pos{File: c.options.Name(file), Line: 1, Column: 1},
			"the kustomization is empty: list its resources")
		return false, c.Err()
	case list == nil:
		list = &yaml.Node{Kind: yaml.SequenceNode}
		top.Content = append(top.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "buildMetadata"}, list)
	case slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return n.Value == originAnnotations }):
		return true, nil
	}
	list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: originAnnotations})
	c.noted, err = yaml.Marshal(&doc)
	return false, err
}

// objects returns what kustomize has made, with places.
func (c *collector) objects(made []Made, dir string) []Object {
	list := make([]Object, 0, len(made))
	for _, m := range made {
		o := Object{Text: m.Text}
		if m.From != "" || m.By != "" {
			o.Places = c.places(m.Text, path.Join(dir, m.From), path.Join(dir, m.By))
		}
		list = append(list, o)
	}
	return list
}
