package system

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// linkerCall is one call of ldconfig.
type linkerCall struct {
	ctx       context.Context //nolint:containedctx // it is the state of one call
	s         *System
	k         *linker
	has       map[string]bool
	cache     string
	dirs      libraryDirs
	libraries []cacheEntry
}

// ldconfig is that of glibc. Its aux-cache, which speeds up the next call, is left out: it has
// times and numbers of files.
func ldconfig(ctx context.Context, s *System, args []string, _ io.Writer) error {
	list, words, err := syntax{
		program: "ldconfig", letters: "vNXC:f:nir:", long: "verbose=v ignore-aux-cache=i",
	}.parse(args)
	if err != nil {
		return err
	}
	c := &linkerCall{ctx: ctx, s: s, has: map[string]bool{}, cache: "/etc/ld.so.cache", dirs: libraryDirs{s: s}}
	config := "/etc/ld.so.conf"
	for _, o := range list {
		switch c.has[o.key] = true; o.key {
		case "C":
			c.cache = o.value
		case "f":
			config = o.value
		case "r":
			if path.Clean(o.value) != "/" {
				return fmt.Errorf("ldconfig -r %s: only the root of the stage is known here", o.value)
			}
		}
	}
	if c.k, err = s.linker(ctx); err != nil {
		return err
	}
	if c.k == nil {
		if len(words) > 0 {
			return errScript
		}
		return nil
	}
	if err := c.collect(words, config); err != nil {
		return err
	}
	for _, d := range c.dirs.list {
		if err := c.search(d); err != nil {
			return err
		}
	}
	if c.has["N"] || c.has["n"] {
		return nil
	}
	text, err := c.k.cache(c.libraries)
	if err != nil {
		return err
	}
	return s.Tree.WriteText(c.cache, text, 0o644)
}

// collect lists the directories that are searched.
func (c *linkerCall) collect(words []string, config string) error {
	for _, w := range words {
		if !path.IsAbs(w) {
			return fail("ldconfig", 1, "relative path `%s' used to build cache", w)
		}
		if err := c.dirs.add(w); err != nil {
			return err
		}
	}
	if c.has["n"] {
		return nil
	}
	if err := c.dirs.configure(config, 0); err != nil {
		return err
	}
	for _, d := range c.k.system() {
		if err := c.dirs.add(d); err != nil {
			return err
		}
	}
	return nil
}

// Ldconfig makes the cache of the dynamic linker again, and the links by soname in its
// directories.
func Ldconfig(ctx context.Context, s *System) error { return ldconfig(ctx, s, nil, io.Discard) }

// candidate is a library of a directory, by its soname.
type candidate struct {
	name, soname string
	link         bool
	library
}

// isLibrary reports whether a name is one of a shared library.
func isLibrary(name string) bool {
	return (strings.HasPrefix(name, "lib") || strings.HasPrefix(name, "ld-")) && strings.Contains(name, ".so") ||
		strings.HasPrefix(name, "ld.so.") || strings.HasPrefix(name, "ld64.so.")
}

// search finds the libraries of a directory, links them by their sonames, and adds them.
func (c *linkerCall) search(d libraryDir) error {
	n, err := c.s.Tree.Lstat(d.at)
	if err != nil || n.Kind != layer.Dir {
		return err
	}
	names, err := c.s.Tree.ReadDir(d.at)
	if err != nil {
		return err
	}
	var found []candidate
	for _, name := range names {
		k, err := c.candidate(d, name)
		if errors.Is(err, errNoLibrary) {
			continue
		}
		if err != nil {
			return err
		}
		if k != nil {
			found = prefer(found, *k)
		}
	}
	for _, k := range found {
		file := k.soname
		if d.hwcaps != "" {
			file = k.name
		} else if !k.link {
			if err := c.link(d, k); err != nil {
				return err
			}
		}
		c.libraries = append(c.libraries, cacheEntry{
			name: k.soname, path: d.path + "/" + file, flags: k.flags, hwcaps: d.hwcaps, isaLevel: k.isaLevel,
		})
	}
	return nil
}

// prefer adds a library, or lets it take the place of one with the same soname: a file that of a
// link, a newer one that of an older one.
func prefer(found []candidate, k candidate) []candidate {
	at := slices.IndexFunc(found, func(f candidate) bool { return f.soname == k.soname })
	if at < 0 {
		return append(found, k)
	}
	old := &found[at]
	if !k.link && old.link || k.link == old.link && compareLibraries(old.name, k.name) < 0 {
		old.name, old.link, old.isaLevel = k.name, k.link, k.isaLevel
	}
	return found
}

// legacy are directories of processors in which glibc before 2.37 looks.
var legacy = []string{
	"tls", "haswell", "xeon_phi", "x86_64", "avx512_1", "sse2", "i586", "i686", "power7", "power8", "power9", "power10",
	"z10", "z13", "z14", "z15", "z16", "zEC12", "v7l", "v8l", "neon", "vfp", "atomics",
}

// candidate returns the library that a name is, nil for any other file.
func (c *linkerCall) candidate(d libraryDir, name string) (*candidate, error) {
	p := path.Join(d.at, name)
	n, err := c.s.Tree.Lstat(p)
	if err != nil {
		return nil, err
	}
	if n.Kind == layer.Dir {
		return nil, c.refuseLegacy(d, p, name)
	}
	isLink := n.Kind == layer.Symlink
	if !isLibrary(name) && (!isLink || d.hwcaps == "") || n.Odd != "" || strings.Contains(name, ".#prelink#") {
		return nil, nil
	}
	if isLink {
		if _, n, err = tree.Resolve(c.s.Tree, p); err != nil {
			return nil, err
		}
		if n == nil {
			if !c.has["X"] && strings.Contains(name, ".so.") {
				return nil, c.s.Tree.Erase(p)
			}
			return nil, nil
		}
		if n.Kind != layer.Regular || n.Odd != "" {
			return nil, nil
		}
	}
	l, err := c.read(p, n)
	if err != nil {
		return nil, err
	}
	k := &candidate{name: name, soname: or(l.soname, name), link: isLink, library: *l}
	// a link by another name than its soname is like a file, unless it is the one for the linker
	if isLink && name != k.soname && (!strings.HasSuffix(name, ".so") || !strings.HasPrefix(k.soname, name)) {
		k.link = false
	}
	if k.link {
		k.soname = name
	}
	return k, nil
}

// refuseLegacy refuses a directory of libraries for one kind of processor.
func (c *linkerCall) refuseLegacy(d libraryDir, p, name string) error {
	if !slices.Contains(legacy, name) || d.hwcaps != "" || c.k.without() {
		return nil
	}
	names, err := c.s.Tree.ReadDir(p)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(names, isLibrary) {
		return fmt.Errorf("ldconfig: libraries for one kind of processor in %s are not known here: "+
			"move them to glibc-hwcaps, or remove them", p)
	}
	return nil
}

// without reports whether glibc has no such directories any more.
func (k *linker) without() bool {
	_, version, _ := strings.Cut(k.generator, " release version 2.")
	return number(version) >= 37
}

func (c *linkerCall) read(p string, n *tree.Node) (*library, error) {
	const least = 64 // the size of a header
	r, size, err := open(p, n)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // it is only read
	if size < least {
		return nil, errNoLibrary
	}
	o, err := readObject(r, size, c.k.order)
	if err != nil {
		return nil, err
	}
	return o.library(c.k.machine)
}

// dynamicLinkers are never linked again, since that would break systems of several architectures.
var dynamicLinkers = []string{
	"ld-linux-aarch64.so.1", "ld-linux-aarch64_be.so.1", "ld-linux-armhf.so.3", "ld-linux-ia64.so.2",
	"ld-linux-mipsn8.so.1", "ld-linux-x86-64.so.2", "ld-linux.so.2", "ld-linux.so.3", "ld.so.1",
	"ld64.so.1", "ld64.so.2",
}

// link makes the link from a soname to its library.
func (c *linkerCall) link(d libraryDir, k candidate) error {
	if c.has["X"] {
		return nil
	}
	from := path.Join(d.at, k.soname)
	lib, libNode, err := tree.Resolve(c.s.Tree, path.Join(d.at, k.name))
	if err != nil {
		return err
	}
	at, there, err := tree.Resolve(c.s.Tree, from)
	if err != nil {
		return err
	}
	if there != nil && (at == lib || there == libNode && there.Hard || slices.Contains(dynamicLinkers, k.soname)) {
		return nil
	}
	n, err := c.s.Tree.Lstat(from)
	if err != nil || n != nil && n.Kind != layer.Symlink {
		return err
	}
	return c.s.Tree.Set(from, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: k.name})
}
