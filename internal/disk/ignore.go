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

// Unignore removes the .gitignore that Ignore wrote. Another one stays.
func Unignore(dir string) error {
	path := filepath.Join(dir, ignoreName)
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !fi.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := regular.Read(path)
	if err != nil || string(text) != ignoreText {
		return err
	}
	return os.Remove(path)
}

// Ignored reports whether a directory has the .gitignore that Ignore writes.
func Ignored(dir string) bool {
	text, err := regular.Read(filepath.Join(dir, ignoreName))
	return err == nil && string(text) == ignoreText
}
