// Command website renders the Markdown of this repository as pages that need no server: they work
// on GitHub Pages and from a disk, and request nothing from elsewhere. A page has the text that the
// forge shows for the same file. `go tool mage docs` runs it.
//
// Pages are found by [readPages], their links are checked and rewritten by [site.link], and
// [render] puts them into page.html. docs/README.md is the first page, and its lists are the
// navigation of all others.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: website REPOSITORY SITE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write renders the repository in root into a directory. If all links are right, it replaces a
// site that is there; it leaves any other directory alone.
func write(root, out string) error {
	files, err := build(os.DirFS(root))
	if err != nil {
		return err
	}
	was, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the site before: %w", err)
	}
	if len(was) > 0 && !slices.ContainsFunc(was, func(e fs.DirEntry) bool { return e.Name() == indexFile }) {
		return fmt.Errorf("%s has files, and is not a site: name another directory", out)
	}
	if err := os.RemoveAll(out); err != nil {
		return fmt.Errorf("removing the site before: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("writing the site: %w", err)
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return fmt.Errorf("writing the site: %w", err)
		}
	}
	return nil
}
