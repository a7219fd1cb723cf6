package kustomize

import (
	"context"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/renderer"
)

// Kustomizations are built by package renderer, which bounds it.
var buildObjects = renderer.Register("objects of a kustomization", buildHere)

// question is a kustomization with every file that it names.
type question struct {
	Dir, File string
	Files     []questionFile // in the order in which they were found
}

type questionFile struct {
	Path, Name string
	Text       []byte
}

// build builds the collected kustomization in a process with bounds.
func (c *collector) build(ctx context.Context, dir, file string) ([]Object, error) {
	q := question{Dir: dir, File: file}
	for _, name := range c.order {
		q.Files = append(q.Files, questionFile{name, c.options.Name(name), c.files[name]})
	}
	return buildObjects.Run(ctx, c.options.Name(file), q)
}

func buildHere(q question) ([]Object, error) {
	names := map[string]string{}
	c := &collector{files: map[string][]byte{}, options: Options{Name: func(file string) string { return names[file] }}}
	for _, f := range q.Files {
		names[f.Path], c.files[f.Path] = f.Name, f.Text
		c.order = append(c.order, f.Path)
	}
	kept, err := c.noteOrigins(q.File)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, text := range c.files {
		files["/"+name] = text
	}
	if c.noted != nil {
		files["/"+q.File] = c.noted
	}
	made, err := engine(files, "/"+q.Dir, kept)
	if err != nil {
		return nil, c.explain(q.File, err)
	}
	size := &yamlfile.Size{}
	for _, m := range made {
		if err := size.Add(names[q.File], m.Text); err != nil {
			return nil, err
		}
	}
	return c.objects(made, q.Dir), nil
}
