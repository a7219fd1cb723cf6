package run

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/script"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// match returns the names that match a word with wildcards, sorted, and the word itself where
// nothing matches.
func (r *runner) match(w script.Word) []string {
	if w.Pattern == "" {
		return []string{w.Text}
	}
	start, pattern := "", w.Pattern
	if path.IsAbs(pattern) {
		start, pattern = "/", strings.TrimLeft(pattern, "/")
	}
	parts := strings.Split(pattern, "/")
	for _, part := range parts {
		check(dots(part))
	}
	var found []string
	err := try(func() {
		found = r.expand(start, parts)
		slices.Sort(found) // by full names: a#b/ comes before a/
		r.ordered(found)
	})
	if err != nil {
		failAt(w.Text, "RUN %s: %w", r.name(), err)
	}
	if len(found) == 0 {
		return []string{w.Text}
	}
	return found
}

// ordered refuses names that a shell may sort, or match, in another way, by the language that is
// set.
func (r *runner) ordered(names []string) {
	if len(names) == 0 {
		return
	}
	for _, key := range []string{"LC_ALL", "LC_COLLATE", "LANG"} {
		v, ok := r.variable(key)
		if !ok || v == "" {
			continue
		}
		simple := v == "C" || v == "POSIX" || strings.EqualFold(v, "C.UTF-8") || strings.EqualFold(v, "C.UTF8")
		if len(names) > 1 && !simple {
			fail("%s=%s decides in which order the names are: name the files, or write %s=C", key, v, key)
		}
		return
	}
}

// expand matches the parts of a pattern one by one, below the directory that start names.
func (r *runner) expand(start string, parts []string) []string {
	check(r.ctx.Err())
	part := parts[0]
	if !tree.Wild(part) {
		next := start + unescaped(part)
		if len(parts) > 1 {
			return r.expand(next+"/", parts[1:])
		}
		if next == "" {
			return nil
		}
		s := r.find(strings.TrimRight(next, "/"), strings.HasSuffix(next, "/"))
		if s.n == nil || strings.HasSuffix(next, "/") && !s.is(layer.Dir) {
			return nil
		}
		return []string{next}
	}
	s := r.within(start)
	if !s.is(layer.Dir) {
		return nil
	}
	var found []string
	for _, name := range r.list(s.p) {
		ok, err := path.Match(part, name)
		if err != nil {
			fail("the pattern %s: %w", part, err)
		}
		switch {
		case !ok || name[0] == '.' && part[0] != '.':
		case len(parts) == 1:
			found = append(found, start+name)
		case r.within(start + name).is(layer.Dir): // a match may be a file
			found = append(found, r.expand(start+name+"/", parts[1:])...)
		}
	}
	return found
}

// within is find for a directory that is matched in; empty is the working directory.
func (r *runner) within(dir string) lookup {
	s := r.find(cmp.Or(dir, "."), true)
	r.known(s)
	return s
}

// dots refuses a pattern that matches "." or "..", as it does in some shells.
func dots(part string) error {
	for _, name := range []string{".", ".."} {
		if ok, _ := path.Match(part, name); ok && tree.Wild(part) && part[0] == '.' {
			return fmt.Errorf("the pattern %s matches %s in some shells: name the files", part, name)
		}
	}
	return nil
}

// unescaped is a part of a pattern without its backslashes.
func unescaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
