package system

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// linker finds the ldconfig of a system, nil where it has a script in its place, as musl has.
func (s *System) linker(ctx context.Context) (*linker, error) {
	var at string
	var n *tree.Node
	for _, p := range []string{"/sbin/ldconfig.real", "/sbin/ldconfig", "/usr/sbin/ldconfig"} {
		var err error
		if at, n, err = tree.Resolve(s.Tree, p); err != nil {
			return nil, err
		}
		if n != nil {
			break
		}
	}
	if n == nil || n.Kind != layer.Regular || n.Odd != "" {
		return nil, fail("ldconfig", 127, "not found")
	}
	r, size, err := open(at, n)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // it is only read
	ident := make([]byte, 20)
	if size < int64(len(ident)) {
		return nil, nil
	}
	if _, err := r.ReadAt(ident, 0); err != nil {
		return nil, fmt.Errorf("reading %s: %w", at, err)
	}
	if string(ident[:4]) != elf.ELFMAG {
		return nil, nil //nolint:nilnil // a script
	}
	k := &linker{order: binary.LittleEndian}
	if elf.Data(ident[elf.EI_DATA]) == elf.ELFDATA2MSB {
		k.order = binary.BigEndian
	}
	k.machine = elf.Machine(k.order.Uint16(ident[18:]))
	const overlap = 4096
	err = scan(ctx, r.r, overlap, func(b []byte) {
		if g := generatorText.Find(b); g != nil {
			k.generator = string(g)
		}
		if m := builtinDirs.FindSubmatch(b); m != nil && k.dirs == nil {
			for _, d := range strings.Split(strings.TrimRight(string(m[1]), "\x00"), "\x00") {
				k.dirs = append(k.dirs, strings.TrimSuffix(d, "/"))
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", at, err)
	}
	return k, k.known(at)
}

// known reports whether the format of this version's cache is known.
func (k *linker) known(file string) error {
	_, version, _ := strings.Cut(k.generator, " release version ")
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	if major != "2" || err != nil || n < 33 || len(k.dirs) == 0 {
		return fmt.Errorf("ldconfig: %s is not of glibc 2.33 or later, and the cache of an older one is not known "+
			"here: take a newer base, or name the directory in LD_LIBRARY_PATH", file)
	}
	k.debian = strings.Contains(k.generator, "(Debian ") || strings.Contains(k.generator, "(Ubuntu ")
	return nil
}

// system returns the directories that are searched after those of /etc/ld.so.conf.
func (k *linker) system() []string {
	if k.debian {
		return k.dirs
	}
	var more []string
	switch k.machine {
	case elf.EM_X86_64, elf.EM_386:
		more = []string{"64", "x32"}
	case elf.EM_AARCH64:
		more = []string{"64", "ilp32"}
	case elf.EM_RISCV:
		more = []string{"64/lp64d", "64/lp64", "32/ilp32d", "32/ilp32"}
	}
	var list []string
	for _, d := range k.dirs {
		for _, m := range more {
			if base, ok := strings.CutSuffix(d, "/lib"+m); ok {
				d = base + "/lib"
			}
		}
		list = append(list, d)
		for _, m := range more {
			if strings.HasSuffix(d, "/lib") {
				list = append(list, d+m)
			}
		}
	}
	return list
}

// libraryDir is a directory that ldconfig searches.
type libraryDir struct {
	path   string // as it is written
	at     string // where it is
	hwcaps string // of a directory in glibc-hwcaps: its name
}

// libraryDirs are the directories in their order.
type libraryDirs struct {
	s    *System
	list []libraryDir
}

// add adds a directory, and those in its glibc-hwcaps. One that is in the list stays where it is.
func (l *libraryDirs) add(line string) error {
	p, kind, ok := strings.Cut(line, "=")
	if ok {
		return fmt.Errorf("ldconfig: a kind of library (=%s) in /etc/ld.so.conf is not known here: leave it out", kind)
	}
	p = strings.TrimRight(strings.TrimRight(p, " \t\v\f\r"), "/")
	if p == "" {
		return nil
	}
	added, err := l.single(p, "")
	if err != nil || !added {
		return err
	}
	at := l.list[len(l.list)-1].at
	dir, n, err := tree.Resolve(l.s.Tree, at+"/glibc-hwcaps")
	if err != nil || n == nil || n.Kind != layer.Dir {
		return err
	}
	names, err := l.s.Tree.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name[0] == '.' || strings.Contains(name, ":") {
			continue
		}
		if n, err := l.s.Tree.Lstat(path.Join(dir, name)); err != nil || n.Kind == layer.Regular {
			if err != nil {
				return err
			}
			continue
		}
		if _, err := l.single(p+"/glibc-hwcaps/"+name, name); err != nil {
			return err
		}
	}
	return nil
}

func (l *libraryDirs) single(p, hwcaps string) (bool, error) {
	at, n, err := tree.Resolve(l.s.Tree, p)
	if err != nil || n == nil || hwcaps != "" && n.Kind != layer.Dir {
		return false, err
	}
	if slices.ContainsFunc(l.list, func(d libraryDir) bool { return d.at == at }) {
		return false, nil
	}
	l.list = append(l.list, libraryDir{path: p, at: at, hwcaps: hwcaps})
	return true, nil
}

// maxIncludes bounds how deep files of directories include others.
const maxIncludes = 16

// configure reads a file of directories, and those that it includes.
func (l *libraryDirs) configure(file string, depth int) error {
	if depth > maxIncludes {
		return fmt.Errorf("ldconfig: %s includes itself: remove the line", file)
	}
	text, err := l.s.read(file)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(strings.TrimSuffix(line, "\n"), "#")
		line = strings.TrimLeft(line, " \t\v\f\r")
		switch patterns, ok := directive(line, "include"); {
		case line == "":
		case ok:
			for _, p := range strings.FieldsFunc(patterns, func(r rune) bool { return r == ' ' || r == '\t' }) {
				if err := l.include(path.Join(path.Dir(file), p), p, depth); err != nil {
					return err
				}
			}
		default:
			if _, ok := directive(strings.ToLower(line), "hwcap"); ok {
				continue
			}
			if err := l.add(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// directive cuts a word and the blank behind it off a line.
func directive(line, word string) (string, bool) {
	rest, ok := strings.CutPrefix(line, word)
	if !ok || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return "", false
	}
	return rest[1:], true
}

func (l *libraryDirs) include(joined, pattern string, depth int) error {
	if path.IsAbs(pattern) {
		joined = pattern
	}
	found := []string{joined}
	if strings.ContainsAny(joined, `*?[\`) {
		var err error
		if found, err = tree.Glob(l.s.Tree, joined); err != nil {
			return err
		}
		slices.Sort(found)
	}
	for _, f := range found {
		if path.Base(f)[0] == '.' && path.Base(pattern)[0] != '.' {
			continue // as glob does
		}
		if err := l.configure(f, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// errScript is what a directory given to musl's ldconfig leads to.
var errScript = errors.New("ldconfig: that of musl links nothing by itself, and its script is not known here: " +
	"use ln -s")
