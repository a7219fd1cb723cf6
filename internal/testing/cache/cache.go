// Package cache keeps programs that tests and targets need, and that no distribution has, in the
// user's cache. Programs are compiled once, and again if the modules that they are made of have
// other versions, which name their directory. The flags of the compiler do not count.
package cache

import (
	"context"
	"os"
	"path/filepath"
)

// Program returns the path of a program in a directory of the cache. Where it is not there, build
// makes it in the directory that it is given, which is another one: the program gets its place
// when it is complete, so that an interrupted build leaves nothing that looks like it, and two
// checkouts may build it at the same time.
func Program(ctx context.Context, dir, name string, build func(ctx context.Context, dir string) error) (string, error) {
	root, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(root, "slipway", dir)
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
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
	return path, os.Rename(filepath.Join(part, name), path)
}
