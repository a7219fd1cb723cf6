package dockerfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/executable"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/platform"
)

// libraries looks for the shared libraries of an image's programs.
type libraries struct {
	start

	tree  *tree.Tree // without the base, if its files are not known
	known bool
	base  string // for messages: nanoserver:ltsc2022
	gone  func(library string) bool
	allow []string

	needs map[string]executable.Needs // of the programs and libraries of the image's own layers
	names map[string]bool             // libraries that were reported
	notes []string
	fatal []string
}

// CheckLibraries reports shared libraries that programs of the image's own layers need and that
// the image does not have. known is that of [Result.CheckStart]: where the base's files are not
// known, only Windows programs are checked, against a table of DLLs that Microsoft's bases lack.
// It is an error if the program that the image starts cannot start without the library, and
// certain that it is missing; anything else is a note, such as a copied DLL that nothing uses.
// Libraries whose name matches a pattern of allow, in any case, are not reported.
func (r Result) CheckLibraries(known bool, allow []string) (notes []string, err error) {
	l := libraries{
		start: r.start, tree: r.start.tree, known: known && !r.start.tree.Open, allow: allow,
		needs: map[string]executable.Needs{}, names: map[string]bool{}, gone: absent(r.Base, r.start.on),
	}
	if l.check || !l.known && (l.gone == nil || l.tree.More) {
		return nil, nil
	}
	l.base = baseName(r.Base, l.on)
	if !l.known {
		l.tree = l.tree.Clone()
		l.tree.Below = nil
	}
	if is, err := l.system(); err != nil || !is {
		return nil, err
	}
	if err := l.read(); err != nil {
		return nil, err
	}
	entry, err := l.entry()
	if err != nil {
		return nil, err
	}
	for _, p := range append([]string{entry}, slices.Sorted(maps.Keys(l.needs))...) {
		if n, ok := l.needs[p]; ok && !n.Library {
			if err := l.program(p, p == entry); err != nil {
				return nil, err
			}
		}
	}
	if err := l.unused(entry); err != nil {
		return nil, err
	}
	report := &mistake.List{File: l.file, Source: l.source}
	for _, f := range l.fatal {
		report.Add(l.at, "", errors.New(f))
	}
	return l.notes, report.Err()
}

// system reports whether the image has an operating system of its own. Images from scratch and
// those for HostProcess containers carry programs that run with the files of a host.
func (l *libraries) system() (bool, error) {
	if l.on.OS != platform.Windows || !l.known {
		return true, nil
	}
	n, err := l.tree.Lstat("/Windows/System32/kernel32.dll")
	return n != nil, err
}

// read finds the programs and libraries of the image's own layers.
func (l *libraries) read() error {
	for p, n := range l.tree.Nodes {
		if n.Kind != layer.Regular || n.Odd != "" {
			continue
		}
		err := l.open(n, func(c layer.Content, r io.Reader) error {
			at, ok := r.(io.ReaderAt)
			if !ok {
				if c.Size > inMemory {
					return nil
				}
				b, err := io.ReadAll(r)
				if err != nil {
					return err
				}
				at = bytes.NewReader(b)
			}
			if needs, ok := executable.ReadNeeds(at, c.Size); ok {
				l.needs[p] = needs
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}

// inMemory is how large a file may be, in bytes, to be read where it is not on disk.
const inMemory = 16 << 20

func (l *libraries) open(n *tree.Node, do func(layer.Content, io.Reader) error) error {
	c, err := n.Content()
	if err != nil {
		return err
	}
	r, err := c.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	return do(c, r)
}

// entry returns the path of the program that the image starts; "" if it is not in the image's own
// layers.
func (l *libraries) entry() (string, error) {
	name := first(l.config.Entrypoint)
	if len(l.config.Entrypoint) == 0 {
		name = first(l.config.Cmd)
	}
	if name == "" {
		return "", nil
	}
	for _, p := range l.candidates(name) {
		to, n, err := l.find(p)
		if err != nil {
			return "", err
		}
		if n != nil && n.Kind == layer.Regular {
			return to, nil
		}
	}
	return "", nil
}

// find follows a path and returns it in the spelling that it has in the tree.
func (l *libraries) find(p string) (string, *tree.Node, error) {
	to, err := tree.Follow(l.tree, p)
	if err != nil {
		return p, nil, nil //nolint:nilerr // links in a circle lead to nothing
	}
	if to, err = l.tree.Spelled(to); err != nil {
		return "", nil, err
	}
	n, err := l.tree.Lstat(to)
	return to, n, err
}

// program checks a program, with the libraries of the image's own layers that it loads: first
// those that are loaded at its start, then all.
func (l *libraries) program(p string, starts bool) error {
	if is, err := l.judged(p); err != nil || !is {
		return err
	}
	if err := l.walk(p, func(n executable.Needs) []string { return n.Libraries }, starts); err != nil {
		return err
	}
	return l.walk(p, func(n executable.Needs) []string { return append(slices.Clone(n.Libraries), n.Delayed...) },
		false)
}

func (l *libraries) walk(p string, list func(executable.Needs) []string, starts bool) error {
	queue, seen := []string{p}, map[string]bool{p: true}
	for len(queue) > 0 {
		by := queue[0]
		queue = queue[1:]
		for _, name := range list(l.needs[by]) {
			if l.ignored(p, name) {
				continue
			}
			at, err := l.look(p, by, name)
			if err != nil {
				return err
			}
			if at == "" {
				err = l.missing(name, p, by, starts)
			} else if !seen[at] {
				seen[at] = true
				queue = append(queue, at)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// look returns where the loader finds a library that a program or one of its libraries
// needs; "" for nowhere.
func (l *libraries) look(program, by, name string) (string, error) {
	first, own := l.directories(program, by)
	standard, err := l.standard(program)
	if err != nil {
		return "", err
	}
	for i, dir := range slices.Concat(first, own) {
		at, n, err := l.find(path.Join(dir, name))
		if err != nil {
			return "", err
		}
		if n == nil || n.Kind != layer.Regular ||
			i >= len(first) && l.tree.Nodes[at] != nil && !slices.Contains(standard, dir) {
			continue
		}
		return at, nil
	}
	return "", nil
}

// allowed reports whether slipway.yaml says that a library is there when the program runs.
func (l *libraries) allowed(name string) bool {
	return slices.ContainsFunc(l.allow, func(pattern string) bool {
		ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(name))
		return ok && err == nil
	})
}
