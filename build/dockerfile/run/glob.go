package run

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/script"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// match returns the words that a word with wildcards stands for, sorted, and the word itself where
// nothing matches.
func (r *runner) match(w script.Word) ([]string, error) {
	if w.Pattern == "" {
		return []string{w.Text}, nil
	}
	start := ""
	pattern := w.Pattern
	if path.IsAbs(pattern) {
		start, pattern = "/", strings.TrimLeft(pattern, "/")
	}
	parts := strings.Split(pattern, "/")
	for _, part := range parts {
		if err := dots(part); err != nil {
			return nil, err
		}
	}
	found, err := r.expand(start, parts)
	if err != nil {
		return nil, mistake.At(w.Text, "RUN %s: %w", r.commands[r.at].Args[0].Text, err)
	}
	if len(found) == 0 {
		return []string{w.Text}, nil
	}
	slices.Sort(found) // with what is behind a directory's name: a#b/ comes before a/
	if err := r.ordered(found); err != nil {
		return nil, mistake.At(w.Text, "RUN %s: %w", r.commands[r.at].Args[0].Text, err)
	}
	return found, nil
}

// ordered refuses names that a shell may sort, or match, in another way, by the language that is
// set.
func (r *runner) ordered(names []string) error {
	for _, key := range []string{"LC_ALL", "LC_COLLATE", "LANG"} {
		v, ok := r.variable(key)
		if !ok || v == "" {
			continue
		}
		if len(names) < 2 || v == "C" || v == "POSIX" || strings.EqualFold(v, "C.UTF-8") || strings.EqualFold(v, "C.UTF8") {
			return nil
		}
		return fmt.Errorf("%s=%s decides in which order the names are: name the files, or write %s=C", key, v, key)
	}
	return nil
}

// expand matches the parts of a pattern one by one, below the directory that start names.
func (r *runner) expand(start string, parts []string) ([]string, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	part := parts[0]
	name := unescaped(part)
	if !tree.Wild(part) {
		next := start + name
		if len(parts) > 1 {
			return r.expand(next+"/", parts[1:])
		}
		if next == "" {
			return nil, nil
		}
		s, err := r.find(strings.TrimRight(next, "/"), strings.HasSuffix(next, "/"))
		if err != nil || s.n == nil || strings.HasSuffix(next, "/") && s.n.Kind != layer.Dir {
			return nil, err
		}
		return []string{next}, nil
	}
	dir := start
	if dir == "" {
		dir = "."
	}
	s, err := r.find(dir, true)
	if err != nil {
		return nil, err
	}
	if s.n == nil && r.unknown(s.p) {
		return nil, fmt.Errorf("%s: %w", dir, errUnknown)
	}
	if s.n == nil || s.n.Kind != layer.Dir {
		return nil, nil
	}
	names, err := r.list(s.p)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range names {
		ok, err := path.Match(part, name)
		if err != nil {
			return nil, fmt.Errorf("the pattern %s: %w", part, err)
		}
		if !ok || name[0] == '.' && part[0] != '.' {
			continue
		}
		if len(parts) == 1 {
			found = append(found, start+name)
			continue
		}
		more, err := r.deeper(start+name, parts[1:])
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// deeper matches the other parts below what one of them has matched, which may not be a
// directory.
func (r *runner) deeper(name string, parts []string) ([]string, error) {
	s, err := r.find(name, true)
	switch {
	case err != nil:
		return nil, err
	case s.n == nil && r.unknown(s.p):
		return nil, fmt.Errorf("%s: %w", name, errUnknown)
	case s.n == nil || s.n.Kind != layer.Dir:
		return nil, nil
	}
	return r.expand(name+"/", parts)
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
