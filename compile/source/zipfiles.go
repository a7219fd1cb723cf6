package source

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"io/fs"
	"strings"

	modzip "golang.org/x/mod/zip"

	"github.com/slipway-dev/slipway/internal/git"
)

// committed returns the files of a module in a commit as [modzip.CreateFromVCS] takes them, which
// would run git with the settings of that repository.
func committed(ctx context.Context, repository, hash, in string) ([]modzip.File, error) {
	archive, err := git.Archive(ctx, repository, hash, in)
	if err != nil {
		return nil, err
	}
	var files []modzip.File
	have := in == ""
	for _, f := range archive.File {
		name, ok := strings.CutPrefix(f.Name, in)
		if name = strings.TrimPrefix(name, "/"); !ok || name == "" || strings.HasSuffix(f.Name, "/") {
			continue
		}
		files = append(files, zipped{f, name})
		have = have || name == "LICENSE"
	}
	if !have { // that of the repository is part of every module in it
		if text, ok := git.License(ctx, repository, hash); ok {
			files = append(files, license(text))
		}
	}
	return files, nil
}

// zipped is a file of an archive of git.
type zipped struct {
	file *zip.File
	name string
}

func (z zipped) Path() string                 { return z.name }
func (z zipped) Lstat() (fs.FileInfo, error)  { return z.file.FileInfo(), nil }
func (z zipped) Open() (io.ReadCloser, error) { return z.file.Open() }

// license is the file LICENSE with its text.
type license []byte

func (l license) Path() string                 { return "LICENSE" }
func (l license) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(l)), nil }
func (l license) Lstat() (fs.FileInfo, error) {
	h := &zip.FileHeader{Name: l.Path(), UncompressedSize64: uint64(len(l))}
	h.SetMode(0o644)
	return h.FileInfo(), nil
}
