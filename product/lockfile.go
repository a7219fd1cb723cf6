package product

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// lockFile is a file next to slipway.yaml that a command writes: the digests of tags.
type lockFile[File, Entry any] struct {
	name, content, command string
	version                func(*File) *string
	read                   func(*yamlfile.Document, *File) []Entry
	written                func([]Entry) File
}

// load reads the file, if there is one. With anew the file is about to be replaced: then only a
// format that is too new is an error.
func (f lockFile[File, Entry]) load(c *checker, anew bool) ([]Entry, error) {
	path := filepath.Join(filepath.Dir(c.out.Path), f.name)
	b, err := yamlfile.ReadText(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, cause(err))
	}
	list, errs, newer := f.parse(path, b)
	if !anew || newer {
		c.Errors = append(c.Errors, errs...)
	}
	return list, nil
}

// parse reads the file's text. newer reports whether its format is newer than this code, which
// then is the only error.
func (f lockFile[File, Entry]) parse(path string, b []byte) (list []Entry, errs yamlfile.Errors, newer bool) {
	var in File
	d := decode(path, b, &in)
	if apiVersion(d, f.version(&in)) {
		return nil, d.Errors, true
	}
	list = f.read(d, &in)
	return list, d.Errors, false
}

// encode returns the bytes of the file: a comment, and the entries.
func (f lockFile[File, Entry]) encode(list []Entry) ([]byte, error) {
	out := f.written(list)
	*f.version(&out) = APIVersion
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s. slipway %s writes this file: commit it, and read what changes in it.\n",
		f.content, f.command)
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("encoding %s: %w", f.name, err)
	}
	return b.Bytes(), nil
}

// lockFiles takes what the lock files pin.
func (c *checker) lockFiles(anew bool) error {
	entries, err := basesLock.load(c, anew)
	if err != nil {
		return err
	}
	c.locked(entries)
	c.out.LockedImages, err = imagesLock.load(c, anew)
	return err
}

// lockedDigest reads a reference without a digest, and its digest. command writes the file.
func lockedDigest(d *yamlfile.Document, reference, digest *string, command string) v1.Hash {
	if _, err := name.ParseReference(*reference, name.WithDefaultTag("")); err != nil ||
		strings.Contains(*reference, "@") {
		d.Errorf(reference, "%q is not repository:tag: run %s", *reference, howto.Run(command))
	}
	h, err := v1.NewHash(*digest)
	if err != nil || h.Algorithm != "sha256" {
		d.Errorf(digest, "a digest is sha256: and 64 hexadecimal digits: run %s", howto.Run(command))
	}
	return h
}
