package product

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// goYAML is an image of one program at /ko-app/NAME, with the files of kodata next to its
// main package.
type goYAML struct {
	// The program.
	Program string `yaml:"program" jsonschema:"required"`
}

// GoImage is an image of one Go program, with ko's conventions.
type GoImage struct {
	Program string // name of a Program
}

func (g *GoImage) uses(u *uses) { add(u.programs, g.Program) }

func (c *checker) goImage(in *imageYAML, i *Image) Content {
	g := &GoImage{Program: in.Go.Program}
	built := i.Built()
	if len(built) == 0 && len(i.Platforms) > 0 {
		c.Errorf(&in.Go, "prebuilt has every platform of image %s: take go out", in.Name)
	}
	for _, os := range systems(built) {
		c.checkBase(in, os, built)
	}
	if !c.refer(&in.Go.Program, c.programs) {
		return g
	}
	p := c.out.Program(in.Go.Program)
	i.Source = cmp.Or(i.Source, p.Source)
	for _, on := range built {
		if only := p.systems(); !p.IsFor(on) {
			c.Errorf(&in.Go.Program, "program %s is for %s only: restrict the image with platforms: [%s]",
				p.Name, strings.Join(only, " and "), strings.Join(only, ", "))
		}
	}
	if i.Source == "" && p.IsPrebuilt() {
		c.Errorf(in, "source is missing: name the source whose url, revision and licenses label the image")
	}
	return g
}

// checkBase reports mistakes of the base of a go image for one operating system.
func (c *checker) checkBase(in *imageYAML, os string, on []platform.Platform) {
	use, ok := in.Bases[os]
	if !ok {
		if !c.Bad(&in.Bases) && !c.Bad(yamlfile.Entry(&in.Bases, os)) {
			c.Errorf(&in.Go, "image %s has no base for %s: name one under bases, next to go", in.Name, os)
		}
		return
	}
	at := c.Pos(yamlfile.Entry(&in.Bases, os))
	if use == scratch {
		return
	}
	if why := c.bases.unknown(use); why != "" {
		c.At(at, "%s", why)
		return
	}
	b, ok := c.out.Base(use)
	switch {
	case !ok || b.Builtin == scratch ||
		b.Builtin == "" && len(b.Images)+len(b.Files) == 0 && b.Microsoft == "":
		return
	case b.Builtin != "":
		if os != platform.Linux {
			c.At(at, "base %s is for Linux: name another for %s", use, os)
		}
		return
	}
	for _, p := range on {
		if p.OS == os &&
			!slices.ContainsFunc(b.Images, func(i BaseImage) bool { return platform.Same(i.Platform, p) }) &&
			!slices.ContainsFunc(b.Files, func(f BaseFile) bool { return platform.Same(f.Platform, p) }) {
			c.At(at, "base %s has no image for %s: add one under bases", use, p.String())
		}
	}
}
