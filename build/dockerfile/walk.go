package dockerfile

import (
	"io/fs"
	"path"
)

// Walk calls visit for everything in a build context that a Dockerfile can copy, with the path in
// it, slash-separated and without a leading slash, in the order of a walk that sorts the names of
// each directory. except and ignore are as for a [Context] and the ignore files of a Dockerfile:
// the first that exists goes before the context's .dockerignore.
func Walk(dir string, except, ignore []string, visit func(path string, fi fs.FileInfo) error) error {
	d, err := openDirectory(nil, dir, except, diskMode, ignore...)
	if err != nil {
		return err
	}
	defer d.root.Close()
	return d.walk("/", visit)
}

func (d *directory) walk(dir string, visit func(path string, fi fs.FileInfo) error) error {
	names, err := d.readDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		p := path.Join(dir, name)
		fi, err := d.root.Lstat(relative(p))
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
