package entrypoint

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/executable"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/platform"
)

// Libraries looks for the shared libraries of an image's programs.
type Libraries struct {
	Image

	// Known means that the base's files are known. Where they are not, only Windows programs are
	// checked, against what Gone knows.
	Known bool
	Base  string                    // for messages: nanoserver:ltsc2022
	Gone  func(library string) bool // whether the base is known to lack a library; nil knows nothing
	// Own has the files of layers above the base, for [Libraries.Check]: imports of others are not
	// looked at, since a base has what its files need. nil means all.
	Own *tree.Tree
	// Allow are patterns of libraries that are not reported, in any case.
	Allow []string

	needs map[string]executable.Needs // of the programs and libraries of the image's own layers
	names map[string]bool             // libraries that were reported
	notes []string
	fatal []string
	one   bool // files are read when they are needed
}

// CheckAll looks for the libraries of all programs of the image's own layers. fatal are those
// without which the program that the image starts cannot start, for certain; anything else is a
// note, such as a copied DLL that nothing uses.
func (l *Libraries) CheckAll() (notes, fatal []string, err error) {
	l.needs, l.names = map[string]executable.Needs{}, map[string]bool{}
	if !l.Known {
		l.Image = l.Alone()
	}
	if is, err := l.system(); err != nil || !is {
		return nil, nil, err
	}
	if err := l.read(); err != nil {
		return nil, nil, err
	}
	entry, err := l.entry()
	if err != nil {
		return nil, nil, err
	}
	for _, p := range append([]string{entry}, slices.Sorted(maps.Keys(l.needs))...) {
		if n, ok := l.needs[p]; ok && !n.Library {
			if err := l.program(p, p == entry); err != nil {
				return nil, nil, err
			}
		}
	}
	return l.notes, l.fatal, l.unused(entry)
}

// Check looks for the libraries that one program of the image, the file at a path, needs at its
// start. Each is what [Libraries.CheckAll] returns as fatal.
func (l *Libraries) Check(program string) (fatal []string, err error) {
	l.needs, l.names, l.one = map[string]executable.Needs{}, map[string]bool{}, true
	if is, err := l.system(); err != nil || !is {
		return nil, err
	}
	if err := l.readFile(program); err != nil {
		return nil, err
	}
	if is, err := l.judged(program); err != nil || !is {
		return nil, err
	}
	err = l.walk(program, func(n executable.Needs) []string { return n.Libraries }, true)
	return l.fatal, err
}

// system reports whether the image has an operating system of its own. Images from scratch and
// those for HostProcess containers carry programs that run with the files of a host.
func (l *Libraries) system() (bool, error) {
	if l.On.OS != platform.Windows || !l.Known {
		return true, nil
	}
	n, err := l.Tree.Lstat("/Windows/System32/kernel32.dll")
	return n != nil, err
}

// read finds the programs and libraries of the image's own layers.
func (l *Libraries) read() error {
	for p := range l.Tree.Nodes {
		if err := l.readFile(p); err != nil {
			return err
		}
	}
	return nil
}

// readFile reads a file of the image's own layers, if it is a program or library.
func (l *Libraries) readFile(p string) error {
	n := l.Tree.Nodes[p]
	if n == nil || n.Kind != layer.Regular || n.Odd != "" || l.Own != nil && l.Own.Nodes[p] == nil {
		return nil
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
	return nil
}

// inMemory is how large a file may be, in bytes, to be read where it is not on disk.
const inMemory = 16 << 20

func (l *Libraries) open(n *tree.Node, do func(layer.Content, io.Reader) error) error {
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
func (l *Libraries) entry() (string, error) {
	_, name, ok := l.Program()
	if !ok {
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
func (l *Libraries) find(p string) (string, *tree.Node, error) {
	to, err := tree.Follow(l.Tree, p)
	if tree.Loops(err) {
		return p, nil, nil
	}
	if err == nil {
		to, err = l.Tree.Spelled(to)
	}
	if err != nil {
		return "", nil, err
	}
	n, err := l.Tree.Lstat(to)
	return to, n, err
}

// program checks a program, with the libraries of the image's own layers that it loads: first
// those that are loaded at its start, then all.
func (l *Libraries) program(p string, starts bool) error {
	if is, err := l.judged(p); err != nil || !is {
		return err
	}
	if err := l.walk(p, func(n executable.Needs) []string { return n.Libraries }, starts); err != nil {
		return err
	}
	return l.walk(p, func(n executable.Needs) []string { return append(slices.Clone(n.Libraries), n.Delayed...) },
		false)
}

func (l *Libraries) walk(p string, list func(executable.Needs) []string, starts bool) error {
	queue, seen := []string{p}, map[string]bool{p: true}
	for len(queue) > 0 && !l.enough(len(seen)) {
		by := queue[0]
		queue = queue[1:]
		for _, name := range list(l.needs[by]) {
			if l.ignored(p, name) {
				continue
			}
			if l.enough(len(seen)) {
				return nil
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
				if l.one {
					err = l.readFile(at)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// enough reports that an image which may want to keep the machine busy has been looked at enough.
func (l *Libraries) enough(files int) bool {
	const maxMissing, maxFiles = 16, 2048
	return l.one && (len(l.names) > maxMissing || files > maxFiles)
}

// look returns where the loader finds a library that a program or one of its libraries
// needs; "" for nowhere.
func (l *Libraries) look(program, by, name string) (string, error) {
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
			i >= len(first) && l.Tree.Nodes[at] != nil && !slices.Contains(standard, dir) {
			continue
		}
		return at, nil
	}
	return "", nil
}

// allowed reports whether slipway.yaml says that a library is there when the program runs.
func (l *Libraries) allowed(name string) bool {
	return slices.ContainsFunc(l.Allow, func(pattern string) bool {
		ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(name))
		return ok && err == nil
	})
}
