package run

import (
	"archive/tar"
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

func checkTar(o options, args []string) error {
	switch {
	case !o.has("x"):
		return errors.New("it is supported only where it unpacks: write tar -x")
	case !o.has("f") || o["f"] == "-":
		return errors.New("it reads a pipe, which is not supported: name the archive with -f FILE")
	case strings.Index(o["f"], ":") > 1: // a drive has one letter
		return mistake.At(o["f"], "%s has a colon, which tar takes for another machine", o["f"])
	}
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, "*?[\\") {
			return mistake.At(a, "member %q: patterns are not supported: name the files", a)
		}
	}
	_, err := strip(o)
	return err
}

func strip(o options) (int, error) {
	if !o.has("strip-components") {
		return 0, nil
	}
	n, err := strconv.Atoi(o["strip-components"])
	if err != nil || n < 0 {
		return 0, fmt.Errorf("--strip-components=%s is not a number", o["strip-components"])
	}
	return n, nil
}

// untar is tar where it unpacks a file.
func untar(r *runner, o options, args []string) {
	if !r.s.Windows() && r.memberBeforeDir() {
		fail("a member before -C is unpacked into the working directory: write -C before the members")
	}
	s := r.existing(o["f"], true)
	u := &unpacking{
		runner: r, into: r.dir, members: args, found: make([]bool, len(args)),
		owners: r.owners(o), anonymous: o.has("o"),
	}
	if o.has("C") {
		u.into = r.directory(o["C"]).p
	}
	u.strip = must(strip(o))
	if o.has("no-same-permissions") {
		u.mask = umask | special
	}
	if !r.s.Windows() {
		u.compression = compression(o)
	}
	u.archive(s, r.s.Windows())
}

// compression returns the first bytes of a file that the options are for, empty for any.
func compression(o options) string {
	for option, magic := range map[string]string{
		"z": "\x1f\x8b", "j": "BZh",
		"J": "\xfd7zXZ", "zstd": "\x28\xb5\x2f\xfd",
	} {
		if o.has(option) {
			return magic
		}
	}
	return ""
}

// compressed fails for a file that does not begin as the options say.
func (u *unpacking) compressed(c layer.Content) {
	f := must(c.Open())
	defer f.Close()
	head := make([]byte, len(u.compression))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != u.compression {
		fail("it is not compressed as the option tells: leave the option out, since tar finds out by itself")
	}
}

// memberBeforeDir reports whether -C follows the name of a member.
func (r *runner) memberBeforeDir() bool {
	words := r.command().Args[1:]
	last := -1
	for i, w := range words {
		if w.Text == "-C" || strings.HasPrefix(w.Text, "--directory") || strings.HasPrefix(w.Text, "-C/") {
			last = i
		}
	}
	for i := 1; i < last; i++ { // the first word may be options without a dash
		before := words[i-1].Text
		valued := strings.HasPrefix(before, "-") && (strings.HasSuffix(before, "f") ||
			strings.HasSuffix(before, "C")) || i == 1 && strings.HasSuffix(before, "f") ||
			slices.Contains([]string{"--file", "--directory", "--strip-components", "--strip"}, before)
		if !strings.HasPrefix(words[i].Text, "-") && !valued {
			return true
		}
	}
	return false
}

// owners returns how tar decides who owns a file: root keeps the owners, by their names where the
// image knows them.
func (r *runner) owners(o options) func(h *tar.Header) (uid, gid int) {
	known := map[string]int{}
	find := func(file, name string, number, fields int) int {
		if name == "" || o.has("numeric-owner") {
			return number
		}
		if n, ok := known[file+name]; ok {
			return n
		}
		id := number
		found, err := tree.Account(r.t, file, name, fields)
		switch {
		case name == "root" && (err != nil || r.t.Open):
			id = 0
		case err == nil && !r.t.Open:
			id = found[2]
		case !errors.As(err, new(tree.UnknownNameError)):
			check(err)
		}
		known[file+name] = id
		return id
	}
	return func(h *tar.Header) (uid, gid int) {
		if o.has("o") || r.s.Windows() {
			return 0, 0
		}
		return find("/etc/passwd", h.Uname, h.Uid, 4), find("/etc/group", h.Gname, h.Gid, 3)
	}
}

// fileMode is what unzip makes of a file of an archive.
type fileMode struct {
	mode   fs.FileMode
	wanted bool
}

// unzip is Info-ZIP's unzip.
func unzip(r *runner, o options, args []string) {
	s := r.find(args[0], true)
	if s.n == nil && !strings.HasSuffix(args[0], ".zip") {
		s = r.find(args[0]+".zip", true)
	}
	if s.n == nil {
		s = r.existing(args[0], true)
	}
	u := &unpacking{runner: r, into: r.dir, junk: o.has("j"), anonymous: true}
	u.owners = func(*tar.Header) (uid, gid int) { return 0, 0 }
	u.keep = func(p string, there *tree.Node) bool {
		if there.Kind != layer.Dir && !o.has("o", "n") {
			fail("%s already exists: use unzip -o", p)
		}
		return there.Kind == layer.Dir || o.has("n")
	}
	if o.has("d") {
		to := r.find(o["d"], true)
		if to.n == nil {
			r.make(to.p, &tree.Node{Kind: layer.Dir, Mode: 0o777 &^ umask})
		} else if !to.is(layer.Dir) {
			fail("%s is not a directory", o["d"])
		}
		u.into = to.p
	}
	u.modes = r.zipModes(s, args[1:])
	u.archive(s, true)
}

// zipModes reads the directory of an archive: the mode of each file, and whether the members of
// the line name it.
func (r *runner) zipModes(s lookup, members []string) map[string]*fileMode {
	c := r.content(s)
	check(tree.Verify(r.ctx, c))
	f := must(c.Open())
	defer f.Close()
	modes := map[string]*fileMode{}
	used := make([]bool, len(members))
	for _, file := range must(tree.ReadZip(f, c.Size, s.name+" is not a zip archive")).File {
		m := &fileMode{mode: zipMode(file), wanted: len(members) == 0}
		for i, pattern := range members {
			if zipMatch(pattern, file.Name) {
				m.wanted, used[i] = true, true
			}
		}
		modes[strings.ReplaceAll(file.Name, `\`, "/")] = m
	}
	if i := slices.Index(used, false); i >= 0 {
		failAt(members[i], "%s is not in %s", members[i], s.name)
	}
	return modes
}

// zipMode returns the mode that unzip gives a file: that of an archive of Unix as it is, and for
// others what their attributes state, less the umask. An archive of FAT may have modes of Unix,
// too, which count where they agree with those attributes.
func zipMode(f *zip.File) fs.FileMode {
	const fat, unixHost, readOnly, directory = 0, 3, 0x1, 0x10
	host, low, high := f.CreatorVersion>>8, f.ExternalAttrs, f.ExternalAttrs>>16
	owner := 0o400 | (^low&readOnly)<<7 | (low&directory)<<2
	if host == unixHost && high != 0 || host == fat && high&0o700 == owner {
		return fs.FileMode(high) & fs.ModePerm
	}
	mode := fs.FileMode(0o666)
	if f.ExternalAttrs&readOnly != 0 {
		mode = 0o444
	}
	if strings.HasSuffix(f.Name, "/") {
		mode |= 0o111
	}
	return mode &^ umask
}

// zipMatch matches a member as unzip does: * and ? match slashes, too.
func zipMatch(pattern, name string) bool {
	if !strings.ContainsAny(pattern, "*?") {
		return pattern == name
	}
	expr := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(pattern))
	ok, err := regexp.MatchString("^(?s:"+expr+")$", name)
	return ok && err == nil
}
