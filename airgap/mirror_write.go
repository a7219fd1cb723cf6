package airgap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
)

// ConfigFiles are files for nodes in a directory.
type ConfigFiles struct {
	Dir   string       `json:"dir"`
	Files []ConfigFile `json:"files"`
}

// Write writes the files. It writes none if the directory has one of them with other content.
func (c ConfigFiles) Write(ctx context.Context, say disk.Say) error {
	var errs []error
	for _, file := range c.Files {
		path := filepath.Join(c.Dir, filepath.FromSlash(file.Path))
		if old, err := regular.Read(path); err == nil && !bytes.Equal(old, file.Data) {
			errs = append(errs,
				fmt.Errorf("%s exists with other content: name another directory with -out, or merge the two", path))
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, file := range c.Files {
		path := filepath.Join(c.Dir, filepath.FromSlash(file.Path))
		if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
			return err
		}
		if err := disk.WriteAlone(ctx, path, file.Data, disk.ModeFile, say); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}

// WriteTable writes the path of each file.
func (c ConfigFiles) WriteTable(w io.Writer) error {
	for _, f := range c.Files {
		if _, err := fmt.Fprintln(w, filepath.Join(c.Dir, filepath.FromSlash(f.Path))); err != nil {
			return err
		}
	}
	return nil
}
