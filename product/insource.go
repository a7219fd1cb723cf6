package product

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// inSource is where paths of slipway.yaml are seen from: its own directory, a source that is a
// directory, or a Go module, whose files are not known before it is fetched.
type inSource struct {
	c      *checker
	source Source // the zero value is the directory of slipway.yaml
}

// placed returns the place of a source; "" is the directory of slipway.yaml.
func (c *checker) placed(source *string) inSource {
	p := inSource{c: c}
	if !c.refer(source, c.sources) {
		return p
	}
	c.placesUsed = append(c.placesUsed, *source)
	p.source = c.out.Source(*source)
	return p
}

// module returns the name of a source that is a module, "" for any other place.
func (p inSource) module() string {
	if p.source.Module == "" {
		return ""
	}
	return p.source.Name
}

// path returns the path s of a file or directory, which at has: absolute, or relative to a module.
// In a module, build looks whether it exists.
func (p inSource) path(at any, s string, is func(fs.FileInfo) bool, what string) string {
	if p.source.Name == "" {
		full, why := p.c.stat(s, is, what)
		if why != "" {
			p.c.Errorf(at, "%s", why)
		}
		return full
	}
	if local := filepath.FromSlash(s); !filepath.IsLocal(local) || strings.Contains(s, `\`) {
		p.c.Errorf(at, "%s is not a path within the source: write it relative to its root", s)
		return local
	} else if p.module() != "" {
		return local
	}
	full := filepath.Join(p.source.Directory, s)
	if fi, err := os.Stat(full); err != nil || !is(fi) {
		p.c.Errorf(at, "the source lacks %s %s: correct the path", what, s)
	} else if why := p.c.leaves(p.source.Name, full); why != "" {
		p.c.Errorf(at, "%s", why)
	}
	return full
}
