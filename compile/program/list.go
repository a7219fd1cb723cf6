package program

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/disk"
)

// listFormat prints a line for each package: its import path and directory, the directory of its
// module, and its patterns to embed; of the standard library its import path only. For each
// package that was asked for, a line with its directory and what it is compiled from follows.
const listFormat = `package {{printf "%q" .ImportPath}}` +
	`{{if not .Standard}} {{printf "%q" .Dir}} {{with .Module}}{{printf "%q" .Dir}}{{else}}""{{end}}{{range .EmbedPatterns}} {{printf "%q" .}}{{end}}{{end}}{{"\n"}}` +
	`{{if not .DepOnly}}program {{printf "%q %q" .Dir .ImportPath}}{{range .Deps}} {{printf "%q" .}}{{end}}{{"\n"}}{{end}}`

// listed is a package as the go command lists it; one of the standard library is zero.
type listed struct {
	dir, root string // of the package, and of its module
	embeds    []string
}

// learn lists the inputs of programs that were never compiled here, or whose inputs may be others
// by now, so that they can be read before these are.
func (c *comparison) learn(ctx context.Context) {
	if c == nil {
		return
	}
	var unknown []string
	for _, p := range c.batch.packages {
		if old, ok := c.known[p]; !ok || old.State.Shape != old.before.Shape {
			unknown = append(unknown, p)
			delete(c.known, p)
		}
	}
	c.list(ctx, unknown)
}

// list asks the go command for the inputs of packages, and reads them. One that it cannot list
// stays unknown: the compiler will report why.
func (c *comparison) list(ctx context.Context, packages []string) {
	if len(packages) == 0 {
		return
	}
	all, programs, err := c.batch.list(ctx, packages)
	if err != nil {
		return
	}
	look := reading{}
	for _, p := range packages {
		deps := programs[filepath.Join(c.batch.programs[0].Tree.Dir, filepath.FromSlash(p))]
		if deps == nil {
			deps = programs[p] // the program is named by its import path
		}
		if deps != nil {
			if in, err := inputsOf(all, deps, c.root, c.modcache); err == nil {
				c.note(look, p, compiled{Inputs: in})
			}
		}
	}
}

// list asks the go command for the packages that packages are compiled from: all by import path,
// and those of each, itself first, by its directory and its import path.
func (b *batch) list(
	ctx context.Context, packages []string,
) (all map[string]listed, programs map[string][]string, err error) {
	args := slices.Concat([]string{"list", "-deps", "-f", listFormat}, b.flags, packages)
	out, err := b.command(ctx, args...).Output()
	name := b.programs[0].Tree.Source.Name
	if err != nil {
		return nil, nil, fmt.Errorf("listing the packages of source %s for %s: %w", name, b.system, source.Explain(err))
	}
	all, programs = map[string]listed{}, map[string][]string{}
	for line := range strings.Lines(string(out)) {
		kind, rest, _ := strings.Cut(line, " ")
		fields, err := unquote(rest)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("listing the packages of source %s: %q: %w", name, line, err)
		case kind == "package" && len(fields) == 1:
			all[fields[0]] = listed{}
		case kind == "package" && len(fields) >= 3:
			all[fields[0]] = listed{fields[1], fields[2], fields[3:]}
		case kind == "program" && len(fields) >= 2:
			programs[fields[0]], programs[fields[1]] = fields[1:], fields[1:]
		}
	}
	return all, programs, nil
}

// unquote splits fields as listFormat prints them.
func unquote(line string) (fields []string, err error) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " ") {
		q, err := strconv.QuotedPrefix(line)
		if err != nil {
			return nil, err
		}
		s, err := strconv.Unquote(q)
		if err != nil {
			return nil, err
		}
		fields, line = append(fields, s), line[len(q):]
	}
	return fields, nil
}

// inputsOf returns the inputs of a main package, which is the first of deps. Its module may be one
// that the main module, in the directory root, requires.
func inputsOf(all map[string]listed, deps []string, root, modcache string) (inputs, error) {
	main := all[deps[0]]
	if main.root == "" {
		return inputs{}, fmt.Errorf("package %s has no module", deps[0])
	}
	local, err := source.Local(root)
	if err != nil {
		return inputs{}, err
	}
	roots := map[string]string{} // of modules in directories, by path
	for _, m := range local {
		roots[m.Path] = m.Dir
	}
	dirs, files := map[string]bool{}, map[string]bool{
		filepath.Join(root, "go.sum"): true, filepath.Join(root, "vendor"): true,
		filepath.Join(root, "vendor", "modules.txt"): true,
	}
	for _, root := range roots {
		files[filepath.Join(root, "go.mod")] = true
	}
	var embeds []embed
	for _, dep := range deps {
		p, ok := all[dep]
		if !ok {
			return inputs{}, fmt.Errorf("package %s is not listed", dep)
		}
		if p.dir == "" {
			continue // of the standard library, which the version of the toolchain fixes
		}
		dep, _, _ = strings.Cut(dep, " ") // a package that is compiled for one program has that behind it
		root := rootOf(p.dir, roots)
		if root != "" || !disk.Within(modcache, p.dir) {
			dirs[p.dir] = true
			for _, pattern := range p.embeds {
				embeds = append(embeds, embed{p.dir, pattern})
			}
		}
		for d := p.dir; root != "" && d != root; d = filepath.Dir(d) {
			files[filepath.Join(d, "go.mod")] = true
		}
		for module, root := range roots {
			if rest, ok := strings.CutPrefix(dep+"/", module+"/"); ok {
				dirs[filepath.Join(root, filepath.FromSlash(rest))] = true
			}
		}
	}
	return inputs{slices.Sorted(maps.Keys(dirs)), slices.Sorted(maps.Keys(files)), embeds}, nil
}

// rootOf returns the innermost of the modules' directories that a directory is in, or "".
func rootOf(dir string, roots map[string]string) (found string) {
	for _, root := range roots {
		if disk.Within(root, dir) && len(root) > len(found) {
			found = root
		}
	}
	return found
}
