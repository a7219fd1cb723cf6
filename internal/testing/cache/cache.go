// Package cache keeps programs that tests and targets need, and that no distribution has, in the
// user's cache. Programs are compiled once, and again if the modules that they are made of have
// other versions, which name their directory, or if they have changed since: each has its digest in
// a file. The flags of the compiler do not count.
package cache

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/dirhash"
)

// Program returns the path of a program in a directory of the cache. Where it is not there, or has
// changed since it was built, build makes it in the directory that it is given, which is another
// one: the program gets its place when it is complete, so that an interrupted build leaves nothing
// that looks like it, and two checkouts may build it at the same time.
func Program(ctx context.Context, dir, name string, build func(ctx context.Context, dir string) error) (string, error) {
	root, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(root, "slipway", dir)
	path := filepath.Join(dir, name)
	if isBuilt(path) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(dir, ".building-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	if err := build(ctx, part); err != nil {
		return "", err
	}
	made := filepath.Join(part, name)
	sum, err := digest(made)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(made+suffix, []byte(sum), 0o644); err != nil {
		return "", err
	}
	if isBuilt(path) { // another checkout was faster, and may use it
		return path, nil
	}
	err = os.Rename(made, path)
	if err != nil { // a directory is there, which has changed
		err = errors.Join(os.RemoveAll(path), os.Rename(made, path))
	}
	return path, errors.Join(err, os.Rename(made+suffix, path+suffix))
}

// suffix is that of the file with the digest of a program.
const suffix = ".sum"

// isBuilt reports whether a program is there, and has the digest that it was built with.
func isBuilt(path string) bool {
	want, err := os.ReadFile(path + suffix)
	if err != nil {
		return false
	}
	sum, err := digest(path)
	return err == nil && sum == string(want)
}

// digest returns what go.sum would have for a file, or for the files of a directory.
func digest(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return dirhash.HashDir(path, "", dirhash.Hash1)
	}
	return dirhash.Hash1([]string{filepath.Base(path)}, func(string) (io.ReadCloser, error) { return os.Open(path) })
}
