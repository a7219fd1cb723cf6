package scaffold

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// archive has the files of examples/, most of which are modules of their own, so that they cannot
// be embedded there. go test ./scaffold -update writes it anew.
//
//go:embed examples.txtar
var archive []byte

// Examples names the products that Example writes.
func Examples() []string {
	var names []string
	for _, f := range txtar.Parse(archive).Files {
		name, _, _ := strings.Cut(f.Name, "/")
		names = appendNew(names, name)
	}
	return names
}

// Example writes a complete product into a directory, which is made if it is missing, and returns
// the files. None of them may exist.
func Example(ctx context.Context, name, dir string, say disk.Say) (made []string, err error) {
	if !slices.Contains(Examples(), name) {
		return nil, howto.Usage("example %q does not exist: %s", name, yamlfile.Suggest(name, Examples()))
	}
	top, err := disk.MakeLocked(ctx, dir, say)
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", dir, err)
	}
	defer top.Unlock()
	for _, f := range txtar.Parse(archive).Files {
		rel, ok := strings.CutPrefix(f.Name, name+"/")
		if !ok {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(rel))
		if err = newFile(file, f.Data); err != nil {
			return nil, errors.Join(err, remove(made))
		}
		made = append(made, file)
	}
	return made, nil
}

// newFile writes a file of an example, with its directory.
func newFile(file string, text []byte) error {
	if err := disk.MkdirAll(filepath.Dir(file)); err != nil {
		return fmt.Errorf("making %s: %w", filepath.Dir(file), err)
	}
	mode := disk.ModeFile
	if path.Ext(file) == ".sh" {
		mode = disk.ModeProgram
	}
	err := disk.New(file,
		[]byte(strings.Replace(string(text), "$schema=../../product/slipway.schema.json", "$schema="+schema, 1)), mode)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s already exists, and is not overwritten: remove it, or name another directory", file)
	case err != nil:
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}

// remove removes files that were made, the last first.
func remove(made []string) (err error) {
	for _, p := range slices.Backward(made) {
		err = errors.Join(err, os.Remove(p))
	}
	return err
}
