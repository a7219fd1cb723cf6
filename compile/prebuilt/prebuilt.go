// Package prebuilt reads the prebuilt programs of a product: files that something else made or
// signed, and downloads of other projects.
//
// Images and artifacts get them byte for byte. The lock has their digests; the only check is that
// each is a program for its platform.
package prebuilt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/executable"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/webfile"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Reader reads prebuilt programs.
type Reader struct {
	Store *store.Store
	// Client makes downloads. Without one they have to be in Store.
	Client *network.Client
}

// File is a program.
type File struct {
	Content layer.Content
	Archive v1.Hash // of the archive that it is from; zero if it is from none
}

// ErrNotDownloaded is the error of a reader without a client for a download that its store does
// not have.
var ErrNotDownloaded = errors.New("it is not in the store")

// Read returns a program. Errors begin with its position in slipway.yaml. A file that is read
// later and has changed since then ends that reader with an error.
func (r Reader) Read(ctx context.Context, name string, p product.Prebuilt) (File, error) {
	f, err := r.read(ctx, p)
	if err == nil {
		err = fits(f.Content, p)
	}
	if err != nil {
		return File{}, fmt.Errorf("%s: program %s: %w", p.Pos, name, err)
	}
	return f, nil
}

func (r Reader) read(ctx context.Context, p product.Prebuilt) (File, error) {
	c, err := r.named(ctx, p)
	if err != nil || p.Member == "" {
		return File{Content: c}, err
	}
	m, err := r.member(ctx, c, p.Member)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", p.Origin, err)
	}
	return File{m, c.Digest}, nil
}

// named returns the file or the download.
func (r Reader) named(ctx context.Context, p product.Prebuilt) (layer.Content, error) {
	if p.URL == "" {
		c, err := layer.File(r.Store, p.File)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("file %s does not exist: build it first, or correct the path, "+
				"which is relative to slipway.yaml", p.Origin)
		}
		return c, err
	}
	digest := v1.Hash{Algorithm: "sha256", Hex: p.SHA256}
	if r.Client != nil {
		return webfile.Get(ctx, r.Store, r.Client, p.URL, digest)
	}
	c, err := webfile.Stored(r.Store, digest)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotDownloaded
	}
	return c, err
}

// magic is how programs begin for systems that package executable does not know.
var magic = map[string][]string{
	"aix":   {"\x01\xf7"},
	"plan9": {"\x00\x00\x01\xeb", "\x00\x00\x06\x47", "\x00\x00\x8a\x97"},
}

// fits reports a file that is not a program for its platform. A script is one for any system that
// has its interpreter, but for Windows.
func fits(c layer.Content, p product.Prebuilt) error {
	what := p.Origin
	if p.Member != "" {
		what = p.Member + " in " + what
	}
	r, err := c.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	head, err := io.ReadAll(io.LimitReader(r, executable.Head))
	if err != nil {
		return err
	}
	s, ok, err := executable.Read(bytes.NewReader(head))
	switch {
	case err != nil:
		return err
	case ok && !s.RunsOn(p.Platform):
		return fmt.Errorf("%s is %s, and it is named for %s: name the file that was built for it", what, s, p.Platform)
	case slices.ContainsFunc(magic[p.Platform.OS], func(m string) bool { return bytes.HasPrefix(head, []byte(m)) }):
		return nil
	case ok, bytes.HasPrefix(head, []byte("#!")) && p.Platform.OS != platform.Windows,
		bytes.HasPrefix(head, []byte("MZ")) && p.Platform.OS == platform.Windows:
		return nil
	}
	if p.Member == "" {
		return fmt.Errorf("%s is not a program: if it is an archive, name the program in it as member", what)
	}
	return fmt.Errorf("%s is not a program: name another member", what)
}
