// Package archive reads tar archives, compressed or not, and zip archives.
package archive

import (
	"archive/tar"
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// File is a file of an archive.
type File struct {
	Name string // slash-separated, as [path.Clean] returns it
	Mode fs.FileMode
}

// Walk calls do for every file of an archive with its content, and reads the complete archive, so
// that its reader can compare it with its digest. content is only for regular files.
func Walk(ctx context.Context, c layer.Content, do func(f File, content io.Reader) error) error {
	r, err := c.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	var head [4]byte
	at, ok := r.(io.ReaderAt)
	if ok {
		at.ReadAt(head[:], 0) //nolint:errcheck // what is shorter is not a zip
	}
	if string(head[:]) == "PK\x03\x04" {
		// nothing else reads a zip from its begin to its end
		if err := progress.Drain(ctx, r, nil); err != nil {
			return err
		}
		return walkZip(ctx, at, c.Size, do)
	}
	all := progress.Reader(ctx, r, nil)
	plain, err := Decompress(all)
	if err == nil {
		defer plain.Close()
		err = walkTar(newBounded(plain, c.Size), do)
	}
	// A reader that finds damage has the last word on what came of it.
	if damage := progress.Drain(ctx, r, nil); damage != nil {
		return damage
	}
	return err
}

// ErrFormat is the error for a file that is not an archive.
var ErrFormat = errors.New("it is neither a tar nor a zip archive")

func walkTar(r io.Reader, do func(File, io.Reader) error) error {
	t := tar.NewReader(r)
	for first := true; ; first = false {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			_, err = io.Copy(io.Discard, r)
			return err
		case first && errors.Is(err, tar.ErrHeader):
			return ErrFormat
		case err != nil:
			return err
		}
		f := File{clean(h.Name), h.FileInfo().Mode()}
		if h.Typeflag == tar.TypeLink {
			f.Mode |= fs.ModeIrregular
		}
		if err := do(f, t); err != nil {
			return err
		}
	}
}

func walkZip(ctx context.Context, at io.ReaderAt, size int64, do func(File, io.Reader) error) error {
	z, err := zip.NewReader(at, size)
	if err != nil {
		return err
	}
	b := newBounded(nil, size)
	one := func(f *zip.File) error {
		r, err := f.Open()
		if err != nil {
			return err
		}
		defer r.Close()
		b.r = progress.Reader(ctx, r, nil)
		return do(File{clean(strings.ReplaceAll(f.Name, `\`, "/")), f.Mode()}, b)
	}
	for _, f := range z.File {
		if err := one(f); err != nil {
			return err
		}
	}
	return nil
}

// clean returns a name without ./ at its begin, as tar -C writes it.
func clean(name string) string { return strings.TrimPrefix(path.Clean("/"+name), "/") }

// Missing returns the error for a file that an archive does not have, of those that it has.
func Missing(name string, names []string) error {
	const most = 5
	if len(names) == 0 {
		return fmt.Errorf("it has no file %s, and no other: is it an archive?", name)
	}
	same := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return path.Base(n) != path.Base(name) })
	switch {
	case len(same) > 0:
		names = same
	case len(names) <= most:
		return fmt.Errorf("it has no file %s: %s", name, yamlfile.Suggest(name, names))
	}
	more := ""
	if n := len(names) - most; n > 0 {
		names, more = names[:most], fmt.Sprintf(", or one of %d others", n)
	}
	return fmt.Errorf("it has no file %s: use %s%s", name, strings.Join(names, ", "), more)
}

// Misnamed returns an error if one of the names differs from the wanted one, which is not among
// them, only by backslashes and case: some programs on Windows write archives so, and nothing that
// reads images finds the file.
func Misnamed(names iter.Seq[string], wanted string) error {
	for _, name := range slices.Sorted(names) {
		if strings.EqualFold(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/"+wanted) {
			return fmt.Errorf("it has %.200q in place of %q: make it with a tar that writes slashes and keeps case",
				name, wanted)
		}
	}
	return nil
}
