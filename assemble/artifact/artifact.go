// Package artifact makes the files of a release that people download: programs alone, and in
// archives.
//
// The files go into the store as blobs, and the lock names them; package release copies them to
// dist/. A tar.gz is written as a layer for Linux is
// (image/layer): sorted, with the times that the caller names, compressed on all cores, and not
// again when nothing changed. A zip has the same entries.
package artifact

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Program is a compiled program.
type Program struct {
	Name    string // as slipway.yaml has it
	File    string // its file name, with .exe for Windows
	Content layer.Content
}

// Input is an artifact for one system.
type Input struct {
	Artifact product.Artifact
	Files    []product.ArtifactFile
	Platform platform.Platform // without a Windows release
	Programs []Program
	ModTime  time.Time // of everything in an archive
	// Added is the absolute directory of the artifact's files, "" for none, and Except are
	// directories to omit, relative to it.
	Added  string
	Except []string
}

// File is a file of an artifact in the store.
type File struct {
	Name    string // in dist/
	Program bool   // a program alone, not an archive
	Digest  v1.Hash
	Size    int64
	// Entries are the files of an archive, or the program.
	Entries []layer.Entry
	Seconds float64 // of a processor, to compress it
}

// Make puts the files of an artifact into the store and returns them in the order of
// Files.
func Make(ctx context.Context, st *store.Store, in Input) ([]File, error) {
	var all []File
	for _, f := range in.Files {
		a := File{Name: f.Name, Program: f.Program != ""}
		var err error
		if f.Program != "" {
			a.Entries = []layer.Entry{{Path: "/" + f.Name, Mode: 0o755, Content: in.program(f.Program)}}
			a.Digest, a.Size, err = alone(st, a.Entries[0].Content)
		} else if a.Entries, err = in.entries(func(file string) (layer.Content, error) {
			return layer.File(st, file)
		}); err == nil {
			err = in.archive(ctx, st, &a)
		}
		if err != nil {
			return nil, fmt.Errorf("making %s: %w", f.Name, err)
		}
		all = append(all, a)
	}
	return all, nil
}

func (in Input) program(name string) layer.Content {
	return in.Programs[slices.IndexFunc(in.Programs, func(p Program) bool { return p.Name == name })].Content
}

// alone stores a program as it is.
func alone(st *store.Store, c layer.Content) (v1.Hash, int64, error) {
	if st.HasAll(c.Digest, c.Size) {
		return c.Digest, c.Size, nil
	}
	r, err := c.Open()
	if err != nil {
		return v1.Hash{}, 0, err
	}
	defer r.Close()
	blob, err := st.Create()
	if err != nil {
		return v1.Hash{}, 0, err
	}
	defer blob.Abort()
	if _, err := io.Copy(blob, r); err != nil {
		return v1.Hash{}, 0, err
	}
	return blob.Commit()
}

// archive stores all programs and files in one.
func (in Input) archive(ctx context.Context, st *store.Store, f *File) error {
	write := writeTar
	if in.Artifact.Formats[in.Platform.OS] == "zip" {
		write = writeZip
	}
	series := fmt.Sprintf("artifact %s %s", in.Artifact.Name, in.Platform)
	w, err := write(ctx, st, f.Entries, in.ModTime, series)
	f.Digest, f.Size, f.Seconds = w.Digest, w.Size, w.Seconds
	return err
}

// Check reports, before anything is compiled, why an archive cannot be made, or unpacked where it
// is for. Of programs it takes only the names.
func Check(in Input) error {
	for _, f := range in.Files {
		if f.Program != "" {
			continue
		}
		if _, err := in.entries(func(string) (layer.Content, error) { return layer.Content{}, nil }); err != nil {
			return fmt.Errorf("making %s: %w", f.Name, err)
		}
	}
	return nil
}

// entries lists the files of the archive, sorted by path.
func (in Input) entries(content func(file string) (layer.Content, error)) ([]layer.Entry, error) {
	var all []layer.Entry
	if in.Added != "" {
		var err error
		if all, err = tree(in.Added, in.Except, content); err != nil {
			return nil, err
		}
	}
	for _, p := range in.Programs {
		name := path.Join("/", in.Artifact.Directory, p.File)
		if slices.ContainsFunc(all, func(e layer.Entry) bool { return e.Path == name }) {
			return nil, fmt.Errorf("%s exists twice, as a program and under files: rename one", name[1:])
		}
		all = append(all, layer.Entry{Path: name, Mode: 0o755, Content: p.Content})
	}
	slices.SortFunc(all, func(a, b layer.Entry) int { return strings.Compare(a.Path, b.Path) })
	return all, layer.Check(all, in.Platform.OS)
}

// mode is that of a file in an archive: only whether it is executable counts, which git keeps,
// too.
func mode(m fs.FileMode) fs.FileMode {
	if m&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

// tree lists the files below a directory, without .git, the files that except names, and the
// directories that slipway made. An archive has regular files only: anything else is an error,
// since not every system can unpack it.
func tree(dir string, except []string, content func(file string) (layer.Content, error)) ([]layer.Entry, error) {
	var all []layer.Entry
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		switch {
		case err != nil:
			return err
		case d.IsDir() &&
			(slices.Contains(except, filepath.ToSlash(rel)) || d.Name() == ".git" || p != dir && disk.Ignored(p)):
			return filepath.SkipDir
		case d.IsDir(), d.Name() == ".git", slices.Contains(except, filepath.ToSlash(rel)):
			return nil
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file: take it out, or replace it with a copy", p)
		}
		fi, err := os.Stat(p)
		if err != nil {
			return err
		}
		c, err := content(p)
		if err != nil {
			return err
		}
		all = append(all, layer.Entry{Path: "/" + filepath.ToSlash(rel), Mode: mode(fi.Mode()), Content: c})
		return nil
	})
	return all, err
}
