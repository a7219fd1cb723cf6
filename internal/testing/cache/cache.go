// Package cache keeps programs that tests and targets need, and that no distribution has, in the
// user's cache. Programs are compiled once, and again if the modules that they are made of have
// other versions, which name their directory, or if they have changed since: each has its digest in
// a file. The flags of the compiler do not count.
package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/mod/sumdb/dirhash"
)

// Program returns the path of a program in a directory of the cache. Where it is not there, or has
// changed since it was built, build makes it in the directory that it is given, which is another one: the
// program gets its place when it is complete, so that an interrupted build leaves nothing that
// looks like it, and two checkouts may build it at the same time.
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
	checked.Store(path, true)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if err := os.RemoveAll(path); err != nil { // a file is replaced in one step
			return "", err
		}
	}
	return path, errors.Join(os.Rename(made, path), os.Rename(made+suffix, path+suffix))
}

// suffix is that of the file with the digest of a program.
const suffix = ".sha256"

// checked are the paths of programs that this process has compared with their digests.
var checked sync.Map

// isBuilt reports whether a program is there, and has the digest that it was built with.
func isBuilt(path string) bool {
	want, err := os.ReadFile(path + suffix)
	if err != nil {
		return false
	}
	if _, ok := checked.Load(path); ok {
		_, err := os.Stat(path)
		return err == nil
	}
	sum, err := digest(path)
	if err != nil || sum != string(want) {
		return false
	}
	checked.Store(path, true)
	return true
}

// digest returns the SHA-256 of a file, or what go.sum has for the files of a directory.
func digest(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return dirhash.HashDir(path, "", dirhash.Hash1)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
