package shell

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/pattern"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// maxPattern bounds patterns, in bytes.
const maxPattern = 16 << 10

// expression compiles a pattern that has to match a whole text.
func (sh *Shell) expression(pat string, mode pattern.Mode) (*regexp.Regexp, error) {
	if len(pat) > maxPattern {
		return nil, sh.refuse("a pattern has more than %d bytes", maxPattern)
	}
	text, err := pattern.Regexp(pat, mode|pattern.EntireString)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // such a pattern is only text
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, sh.refuse("the pattern %s is not known here", pat)
	}
	return re, nil
}

func (sh *Shell) matches(pat, text string) (bool, error) {
	if err := sh.count(len(text)); err != nil {
		return false, sh.located(err)
	}
	re, err := sh.expression(pat, 0)
	if re == nil {
		return pat == text, err
	}
	return re.MatchString(text), nil
}

// glob returns the files that a pattern matches, sorted.
func (sh *Shell) glob(ctx context.Context, pat string) ([]string, error) {
	if err := sh.flush(); err != nil {
		return nil, err
	}
	found := []string{""}
	parts := strings.Split(pat, "/")
	for n, part := range parts {
		last := n == len(parts)-1
		var next []string
		for _, dir := range found {
			names, err := sh.globPart(ctx, dir, part, last)
			if err != nil {
				return nil, err
			}
			next = append(next, names...)
		}
		found = next
	}
	slices.Sort(found)
	return found, nil
}

// globPart returns what one part of a pattern matches in a directory. Paths before the last part
// end in a slash.
func (sh *Shell) globPart(ctx context.Context, dir, part string, last bool) ([]string, error) {
	end := "/"
	if last {
		end = ""
	}
	if part == "" { // // or the end of dir/
		if last || dir == "" || !strings.HasSuffix(dir, "/") {
			return []string{dir + end}, nil
		}
		return []string{dir}, nil
	}
	if !pattern.HasMeta(part, 0) {
		name := strings.ReplaceAll(part, `\`, "")
		is, err := sh.exists(dir+name, last)
		if err != nil || !is {
			return nil, err
		}
		return []string{dir + name + end}, nil
	}
	re, err := sh.expression(part, pattern.Filenames)
	if err != nil || re == nil {
		return nil, err
	}
	at, n, err := tree.Resolve(sh.Tree, path.Clean(sh.Path(dir)))
	if err != nil || n == nil || n.Kind != layer.Dir {
		return nil, err
	}
	names, err := sh.Tree.ReadDir(at)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range names {
		if err := sh.step(ctx); err != nil {
			return nil, sh.located(err)
		}
		if !re.MatchString(name) {
			continue
		}
		if !last {
			if is, err := sh.exists(dir+name, false); err != nil || !is {
				continue
			}
		}
		found = append(found, dir+name+end)
	}
	return found, nil
}

// exists reports whether something has a name; before the last part of a path, a directory.
func (sh *Shell) exists(name string, last bool) (bool, error) {
	if last {
		n, err := sh.Lstat(name)
		return n != nil, err
	}
	n, err := sh.Stat(name)
	return n != nil && n.Kind == layer.Dir, err
}

// Stat returns what a name leads to, nil for nothing.
func (sh *Shell) Stat(name string) (*tree.Node, error) {
	if err := sh.flush(); err != nil {
		return nil, err
	}
	_, n, err := tree.Resolve(sh.Tree, sh.Path(name))
	if err != nil {
		return nil, err
	}
	if n != nil && n.Kind != layer.Dir && strings.HasSuffix(name, "/") {
		return nil, nil
	}
	return n, nil
}

// Lstat returns what is at a name, without following a link there, nil for nothing.
func (sh *Shell) Lstat(name string) (*tree.Node, error) {
	if strings.HasSuffix(name, "/") {
		return sh.Stat(name)
	}
	if err := sh.flush(); err != nil {
		return nil, err
	}
	p, err := sh.Place(name)
	if err != nil {
		return nil, err
	}
	return sh.Tree.Lstat(p)
}

// Place returns the path of a name in the tree: links above it are followed, and one at it is not.
func (sh *Shell) Place(name string) (string, error) {
	p := strings.TrimRight(sh.Path(name), "/")
	dir, base := path.Split(p)
	if base == "" || base == "." || base == ".." {
		return tree.Follow(sh.Tree, p)
	}
	at, err := tree.Follow(sh.Tree, dir)
	return path.Join(at, base), err
}
