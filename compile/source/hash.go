package source

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// buffers are for the many small files of modules. [io.Copy] makes one for each.
var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// hash1 is [golang.org/x/mod/sumdb/dirhash.Hash1], which reads one file behind the other, on all
// processors.
func hash1(files []string, open func(string) (io.ReadCloser, error)) (string, error) {
	files = slices.Sorted(slices.Values(files))
	sums := make([][sha256.Size]byte, len(files))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for n, name := range files {
		g.Go(func() error {
			if strings.Contains(name, "\n") {
				return errors.New("dirhash: filenames with newlines are not supported")
			}
			f, err := open(name)
			if err != nil {
				return err
			}
			h := sha256.New()
			buf := buffers.Get().(*[]byte)
			defer buffers.Put(buf)
			_, err = io.CopyBuffer(h, struct{ io.Reader }{f}, *buf)
			if err := cmp.Or(err, f.Close()); err != nil {
				return err
			}
			h.Sum(sums[n][:0])
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return "", err
	}
	h := sha256.New()
	for n, name := range files {
		fmt.Fprintf(h, "%x  %s\n", sums[n], name)
	}
	return "h1:" + base64.StdEncoding.EncodeToString(h.Sum(nil)), nil
}
