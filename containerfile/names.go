package containerfile

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// Named is an image that a Dockerfile names: by FROM, by --from of COPY, or by from= of a mount.
type Named struct {
	Name     string
	Platform platform.Platform
	Pos      yamlfile.Pos
	Base     bool // the image is built on it
}

// Images reads a Dockerfile without evaluating it, for a builder that will, and returns the images
// that its stages name, also those that the target does not need, each once for a platform. Of in it
// uses File, Shown, Platform, BuildPlatform, Args, Target, and the names of Contexts.
func Images(in Input) ([]Named, error) {
	b, err := read(in)
	if err != nil {
		return nil, err
	}
	b.parse()
	root := b.target()
	for root != nil && root.from != nil {
		root = root.from
	}
	n := names{builder: b, root: root, seen: map[string]int{}}
	for _, s := range b.stages {
		n.stage(s)
	}
	return n.all, b.report.Err()
}

type names struct {
	*builder

	all  []Named
	root *stage // of the target
	seen map[string]int
}

func (n *names) stage(s *stage) {
	on := n.in.Platform
	if s.Platform != "" {
		text, err := n.word(s.Platform, n.globals)
		if err == nil {
			on, err = platform.Parse(text)
		}
		if err != nil {
			n.report.Add(s.Location, s.Platform, err)
			return
		}
	}
	if s.from == nil && !s.failed {
		n.add(s.Location, s.base, on, s == n.root)
	}
	for _, c := range s.commands {
		switch c := c.Command.(type) {
		case *instructions.CopyCommand:
			n.from(c.Location(), s, c.From)
		case *instructions.RunCommand:
			for _, m := range instructions.GetMounts(c) {
				n.from(c.Location(), s, m.From)
			}
		}
	}
}

// from adds what an instruction copies from or mounts, unless that is a stage.
func (n *names) from(at []parser.Range, s *stage, name string) {
	if name == "" {
		return
	}
	if of := n.find(name); of != nil && of.index < s.index {
		return
	}
	n.add(at, name, n.in.Platform, false)
}

func (n *names) add(at []parser.Range, name string, on platform.Platform, base bool) {
	if _, ok := n.in.Contexts[strings.ToLower(name)]; ok || name == "scratch" || name == "" {
		return
	}
	key := name + " " + on.String()
	if k, ok := n.seen[key]; ok {
		n.all[k].Base = n.all[k].Base || base
		return
	}
	for _, s := range n.stages {
		if s.Name != "" && sameImage(s.Name, name) {
			n.report.Add(at, name, fmt.Errorf("the stage %s has the name of the image %s, which builders would "+
				"take in its place: rename the stage", s.Name, name))
			return
		}
	}
	n.seen[key] = len(n.all)
	line, column := n.report.Position(at, name)
	n.all = append(n.all, Named{name, on, yamlfile.Pos{File: n.report.File, Line: line, Column: column}, base})
}

func sameImage(a, b string) bool {
	x, err := name.ParseReference(a)
	y, other := name.ParseReference(b)
	return err == nil && other == nil && x.Name() == y.Name()
}
