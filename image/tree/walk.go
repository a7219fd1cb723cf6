package tree

import (
	"io/fs"
	"path"
)

// Walk calls visit for everything in a build context that a Dockerfile can copy, with the path in
// it, slash-separated and without a leading slash, in the order of a walk that sorts the names of
// each directory. except and ignore are as for a [Context] and the ignore files of a Dockerfile:
// the first that exists goes before the context's .dockerignore.
func Walk(dir string, except, ignore []string, visit func(path string, fi fs.FileInfo) error) error {
	d, err := OpenDirectory(nil, dir, except, DiskMode, ignore...)
	if err != nil {
		return err
	}
	defer d.Root.Close()
	return d.walk("/", visit)
}

func (d *Directory) walk(dir string, visit func(path string, fi fs.FileInfo) error) error {
	names, err := d.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		p := path.Join(dir, name)
		fi, err := d.Root.Lstat(relative(p))
		if err != nil {
			return err
		}
		if err := visit(p[1:], fi); err != nil {
			return err
		}
		if fi.IsDir() {
			if err := d.walk(p, visit); err != nil {
				return err
			}
		}
	}
	return nil
}
