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

// Unignore removes the .gitignore that Ignore wrote. Another one stays. A file that cannot be
// told apart is an error.
func Unignore(dir string) error {
	if yes, err := ignored(dir); err != nil || !yes {
		return err
	}
	return os.Remove(filepath.Join(dir, ignoreName))
}

// Ignored reports whether a directory has the .gitignore that Ignore writes.
func Ignored(dir string) bool {
	yes, err := ignored(dir)
	return err == nil && yes
}

func ignored(dir string) (bool, error) {
	path := filepath.Join(dir, ignoreName)
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !fi.Mode().IsRegular() || fi.Size() != int64(len(ignoreText)) {
		return false, err
	}
	text, err := regular.Read(path)
	return string(text) == ignoreText, err
}
