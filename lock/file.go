package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/imagename"
)

// maxSize bounds a lock in bytes; a real one has a few hundred KiB.
const maxSize = 64 << 20

// Read reads a lock from a regular file. A newer schemaVersion, an unknown field or trailing text
// is an error that names the file.
func Read(path string) (*Lock, error) {
	switch fi, err := os.Stat(path); { // before it is opened: a pipe would wait for a writer
	case err != nil:
		return nil, fmt.Errorf("reading lock: %w", err)
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("reading lock: %s is not a regular file: name the %s of a release", path, Name)
	case fi.Size() == 0:
		return nil, fmt.Errorf("reading lock: %s is empty: name the %s of a release", path, Name)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading lock: %w", err)
	}
	defer f.Close()
	l, err := Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// Decode reads a lock from r, at most 64 MiB of it.
func Decode(r io.Reader) (*Lock, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxSize {
		return nil, fmt.Errorf("the lock is larger than %d MiB: it is no lock of Slipway", maxSize>>20)
	}
	var head struct {
		SchemaVersion int `json:"schemaVersion"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("not a lock of Slipway: %w", err)
	}
	switch {
	case head.SchemaVersion < 1:
		return nil, errors.New("not a lock of Slipway: schemaVersion is missing")
	case head.SchemaVersion > SchemaVersion:
		return nil, fmt.Errorf("schemaVersion %d is newer than %d, which this slipway reads: use a newer slipway", head.SchemaVersion, SchemaVersion)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var l Lock
	if err := d.Decode(&l); err != nil {
		return nil, fmt.Errorf("not a lock of Slipway: %w", err)
	}
	if err := l.check(); err != nil {
		return nil, fmt.Errorf("not a lock of Slipway: %w", err)
	}
	return &l, nil
}

// check holds a lock to what its readers rely on: everything in it has a digest, and every
// platform is one.
func (l *Lock) check() error {
	for _, i := range l.Images {
		digests := []v1.Hash{i.Digest}
		if err := i.named(); err != nil {
			return fmt.Errorf("image %q: %q is not its name: %w", i.Name, i.Tagged(), err)
		}
		for _, r := range i.Referrers {
			digests = append(digests, r.Digest)
			if err := r.CheckTag(); err != nil {
				return fmt.Errorf("image %q: %w", i.Name, err)
			}
		}
		for _, c := range i.Children {
			digests = append(digests, c.Digest, c.Config)
			if c.Base != nil {
				digests = append(digests, c.Base.Digest)
			}
			for _, f := range c.From {
				digests = append(digests, f.Digest)
			}
			if err := c.Platform.Check(); err != nil {
				return fmt.Errorf("image %q: %w", i.Name, err)
			}
		}
		if slices.Contains(digests, v1.Hash{}) {
			return fmt.Errorf("image %q: a digest is missing", i.Name)
		}
	}
	for _, t := range l.ThirdParty {
		if t.LeftOut == "" && t.Digest == (v1.Hash{}) {
			return fmt.Errorf("image %q: the digest is missing", t.Reference)
		}
		for _, r := range t.Referrers {
			if r.Digest == (v1.Hash{}) {
				return fmt.Errorf("image %q: the digest of a referrer is missing", t.Reference)
			}
			if err := r.CheckTag(); err != nil {
				return fmt.Errorf("image %q: %w", t.Reference, err)
			}
		}
	}
	for _, a := range l.Artifacts {
		if a.Digest == (v1.Hash{}) {
			return fmt.Errorf("artifact %q: the digest is missing", a.File)
		}
		if a.File == "" || a.File != filepath.Base(a.File) || strings.ContainsAny(a.File, `/\`) || a.File[0] == '.' {
			return fmt.Errorf("artifact %q: it is no file name", a.File)
		}
	}
	return nil
}

// named checks the names that become a part of a URL. An image that was not published yet has none.
func (i Image) named() error {
	switch {
	case i.Repository == "":
		return nil
	case i.Tag == "":
		return imagename.CheckRepository(i.Repository)
	}
	return imagename.Check(i.Tagged())
}

// Encode returns the bytes of the file: indented JSON with a final newline.
func (l *Lock) Encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(l); err != nil {
		return nil, fmt.Errorf("encoding lock: %w", err)
	}
	return b.Bytes(), nil
}

// Write writes the lock to a file that appears only when it is complete. The caller has locked its
// directory.
func (l *Lock) Write(path string) error {
	b, err := l.Encode()
	if err != nil {
		return err
	}
	if err := disk.Write(path, b, disk.ModeFile); err != nil {
		return fmt.Errorf("writing lock: %w", err)
	}
	return nil
}
