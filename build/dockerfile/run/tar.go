package run

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// tarTool is tar where it unpacks a file.
func tarTool() tool {
	return tool{
		options: "xzjJaf:C:vpmo\x01:\x02\x03\x04\x05",
		long: map[string]byte{
			"extract": 'x', "get": 'x', "gzip": 'z', "gunzip": 'z', "ungzip": 'z', "bzip2": 'j', "xz": 'J', "zstd": '\x05', "auto-compress": 'a', "file": 'f', "directory": 'C', "verbose": 'v', "touch": 'm',
			"strip-components": '\x01', "strip": '\x01', "no-same-owner": 'o', "same-owner": '\x02', "numeric-owner": '\x03', "preserve-permissions": 'p', "same-permissions": 'p', "no-same-permissions": '\x04',
		},
		old: true, most: many, check: checkTar, run: untar,
	}
}

func checkTar(o options, args []string) error {
	switch {
	case !o.has("x"):
		return errors.New("it is known here only where it unpacks: write tar -x")
	case !o.has("f") || o['f'] == "-":
		return errors.New("it reads a pipe, which is not known here: name the archive with -f FILE")
	case strings.Index(o['f'], ":") > 1: // a drive has one letter
		return mistake.At(o['f'], "%s has a colon, which tar takes for another machine", o['f'])
	}
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, "*?[\\") {
			return mistake.At(a, "member %q: patterns are not known here: name the files", a)
		}
	}
	_, err := strip(o)
	return err
}

func strip(o options) (int, error) {
	if !o.has("\x01") {
		return 0, nil
	}
	n, err := strconv.Atoi(o['\x01'])
	if err != nil || n < 0 {
		return 0, fmt.Errorf("--strip-components=%s is not a number", o['\x01'])
	}
	return n, nil
}

func untar(r *runner, o options, args []string) error {
	if !r.s.Windows() && r.memberBeforeDir() {
		return errors.New("a member before -C is unpacked into the working directory: write -C before the members")
	}
	s, err := r.spot(o['f'], true)
	if err != nil {
		return err
	}
	into := r.dir
	if o.has("C") {
		to, err := r.spot(o['C'], true)
		if err != nil {
			return err
		}
		if into = to.p; to.n.Kind != layer.Dir {
			return fmt.Errorf("%s is not a directory", o['C'])
		}
	}
	u := &unpacking{runner: r, into: into, members: args, found: make([]bool, len(args)), owners: r.owners(o), anonymous: o.has("o")}
	if u.strip, err = strip(o); err != nil {
		return err
	}
	if o.has("\x04") {
		u.mask = umask | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	}
	if !r.s.Windows() {
		u.compression = compression(o)
	}
	return u.archive(s, r.s.Windows())
}

// compression returns the first bytes of a file that the options are for, empty for any.
func compression(o options) string {
	for letter, magic := range map[byte]string{'z': "\x1f\x8b", 'j': "BZh", 'J': "\xfd7zXZ", '\x05': "\x28\xb5\x2f\xfd"} {
		if o.has(string(letter)) {
			return magic
		}
	}
	return ""
}

func (u *unpacking) compressed(c layer.Content) error {
	r, err := c.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	head := make([]byte, len(u.compression))
	if _, err := io.ReadFull(r, head); err != nil || string(head) != u.compression {
		return errors.New("it is not compressed as the option tells: leave the option out, since tar finds out by itself")
	}
	return nil
}

// memberBeforeDir reports whether -C follows the name of a member.
func (r *runner) memberBeforeDir() bool {
	words := r.commands[r.at].Args[1:]
	last := -1
	for i, w := range words {
		if w.Text == "-C" || strings.HasPrefix(w.Text, "--directory") || strings.HasPrefix(w.Text, "-C/") {
			last = i
		}
	}
	for i := 1; i < last; i++ { // the first word may be options without a dash
		before := words[i-1].Text
		valued := strings.HasPrefix(before, "-") && (strings.HasSuffix(before, "f") || strings.HasSuffix(before, "C")) || i == 1 && strings.HasSuffix(before, "f") ||
			slices.Contains([]string{"--file", "--directory", "--strip-components", "--strip"}, before)
		if !strings.HasPrefix(words[i].Text, "-") && !valued {
			return true
		}
	}
	return false
}

// owners returns how tar decides who owns a file: root keeps the owners, by their names where the
// image knows them.
func (r *runner) owners(o options) func(h *tar.Header) (int, int, error) {
	known := map[string]int{}
	find := func(file, name string, number, fields int) (int, error) {
		if name == "" || o.has("\x03") {
			return number, nil
		}
		if n, ok := known[file+name]; ok {
			return n, nil
		}
		id := number
		found, err := tree.Account(r.t, file, name, fields)
		switch {
		case name == "root" && (err != nil || r.t.Open):
			id = 0
		case err == nil && !r.t.Open:
			id = found[2]
		case err != nil && !errors.As(err, new(tree.UnknownNameError)):
			return 0, err
		}
		known[file+name] = id
		return id, nil
	}
	return func(h *tar.Header) (uid, gid int, err error) {
		if o.has("o") || r.s.Windows() {
			return 0, 0, nil
		}
		if uid, err = find("/etc/passwd", h.Uname, h.Uid, 4); err != nil {
			return 0, 0, err
		}
		gid, err = find("/etc/group", h.Gname, h.Gid, 3)
		return uid, gid, err
	}
}
