package run

import (
	"archive/tar"
	"archive/zip"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

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
