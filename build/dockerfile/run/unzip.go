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
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// unzipTool is Info-ZIP's unzip.
func unzipTool() tool {
	return tool{options: "oqnjd:", least: 1, most: many, run: unzip}
}

// fileMode is what unzip makes of a file of an archive.
type fileMode struct {
	mode   fs.FileMode
	wanted bool
}

func unzip(r *runner, o options, args []string) error {
	s, err := r.find(args[0], true)
	if err == nil && s.n == nil && !strings.HasSuffix(args[0], ".zip") {
		s, err = r.find(args[0]+".zip", true)
	}
	if err == nil && s.n == nil {
		s, err = r.spot(args[0], true)
	}
	if err != nil {
		return err
	}
	u := &unpacking{runner: r, into: r.dir, junk: o.has("j"), anonymous: true}
	u.owners = func(*tar.Header) (int, int, error) { return 0, 0, nil }
	u.keep = func(p string, there *tree.Node) (bool, error) {
		if there.Kind == layer.Dir {
			return true, nil
		}
		if !o.has("on") {
			return false, fmt.Errorf("%s is there already: use unzip -o", p)
		}
		return o.has("n"), nil
	}
	if o.has("d") {
		to, err := r.find(o['d'], true)
		switch {
		case err != nil:
			return err
		case to.n == nil:
			if err := r.make(to.p, &tree.Node{Kind: layer.Dir, Mode: 0o777 &^ umask}); err != nil {
				return err
			}
		case to.n.Kind != layer.Dir:
			return fmt.Errorf("%s is not a directory", o['d'])
		}
		u.into = to.p
	}
	if u.modes, err = r.zipModes(s, args[1:]); err != nil {
		return err
	}
	return u.archive(s, true)
}

// zipModes reads the directory of an archive: the mode of each file, and whether the members of
// the line name it.
func (r *runner) zipModes(s spot, members []string) (map[string]*fileMode, error) {
	if s.n.Kind != layer.Regular {
		return nil, fmt.Errorf("%s is not a file", s.name)
	}
	c, err := s.n.Content()
	switch {
	case err != nil:
		return nil, err
	case c.Open == nil:
		return nil, fmt.Errorf("%s: %w", s.name, errLater)
	}
	if err := tree.Verify(r.ctx, c); err != nil {
		return nil, err
	}
	f, err := c.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	at, ok := f.(io.ReaderAt)
	if !ok {
		return nil, errors.New("a zip archive is read from files only")
	}
	z, err := zip.NewReader(at, c.Size)
	if err != nil {
		return nil, fmt.Errorf("%s is not a zip archive: %w", s.name, err)
	}
	modes := map[string]*fileMode{}
	used := make([]bool, len(members))
	for _, file := range z.File {
		m := &fileMode{mode: zipMode(file), wanted: len(members) == 0}
		for i, pattern := range members {
			if zipMatch(pattern, file.Name) {
				m.wanted, used[i] = true, true
			}
		}
		modes[strings.ReplaceAll(file.Name, `\`, "/")] = m
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, mistake.At(members[i], "%s is not in %s", members[i], s.name)
	}
	return modes, nil
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
