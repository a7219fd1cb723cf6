package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/regular"
)

const ignoreName = ".gitignore"

// ignoreText keeps a directory out of git, with everything in it.
const ignoreText = "# Written by slipway.\n*\n"

// Ignore keeps a directory that Slipway makes out of git, by a .gitignore in it. An existing one
// stays unchanged.
func Ignore(dir string) error {
	path := filepath.Join(dir, ignoreName)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return Write(path, []byte(ignoreText), ModeFile)
}

// Unignore removes the .gitignore that Ignore wrote.
func Unignore(dir string) error {
	if !Ignored(dir) {
		return nil
	}
	return os.Remove(filepath.Join(dir, ignoreName))
}

// Ignored reports whether a directory has the .gitignore that Ignore writes.
func Ignored(dir string) bool {
	text, err := regular.Read(filepath.Join(dir, ignoreName))
	return err == nil && string(text) == ignoreText
}
