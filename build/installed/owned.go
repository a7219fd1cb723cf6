package installed

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/lock"
)

// Changed reports whether a layer with an entry at p changes which packages are installed.
func Changed(p string) bool { return p == statusFile }

// Owned returns the paths in a tree that dpkg attributes to packages: without links, so that on a
// merged /usr it is /usr/bin/sh and not /bin/sh. Directories are among them.
func Owned(t tree.Files, list []lock.Package) (map[string]bool, error) {
	all, dirs := map[string]bool{}, map[string]string{}
	for _, p := range list {
		for _, name := range []string{p.Name, p.Name + ":" + p.Architecture} {
			text, err := tree.ReadText(t, path.Join(infoDir, name+".list"))
			if err != nil {
				return nil, err
			}
			for line := range strings.Lines(string(text)) {
				file := path.Clean("/" + strings.TrimSpace(line))
				dir := path.Dir(file)
				at, ok := dirs[dir]
				if !ok {
					if at, err = tree.Follow(t, dir); err != nil {
						continue // no file can be there
					}
					dirs[dir] = at
				}
				all[path.Join(at, path.Base(file))] = true
			}
			for _, of := range infoFiles {
				all[path.Join(infoDir, name+"."+of)] = true
			}
		}
	}
	return all, nil
}

// infoFiles are the files that dpkg keeps about a package.
var infoFiles = []string{
	"list", "md5sums", "conffiles", "preinst", "postinst", "prerm", "postrm", "config", "templates", "shlibs",
	"symbols", "triggers",
}
