package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/lock"
)

// gzip writes the bundle for all platforms as .tar.zst and .tar.gz from one reading of its blobs,
// and compares that with pigz, which reads the tar of it. Making that tar is not timed.
func (b *bench) gzip(ctx context.Context) (c comparison, err error) {
	l, err := lock.Read(filepath.Join(b.dist, lock.Name))
	if err != nil {
		return c, err
	}
	from, err := bundle.Open(filepath.Join(b.dist, l.Name+"-images.tar.zst"))
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	both := filepath.Join(b.tmp, "both.tar.zst")
	gz, archive := filepath.Join(b.tmp, "both.tar.gz"), filepath.Join(b.tmp, "both.tar")
	w, err := bundle.NewWriter(from.Open)
	if err != nil {
		return c, err
	}
	write := func(name string, write func(*bundle.Layout) (*bundle.File, error)) (figure, error) {
		l, err := bundle.NewLayout(from.Contents())
		if err != nil {
			return figure{}, err
		}
		start := time.Now()
		_, err = write(l)
		return figure{name: name, seconds: time.Since(start).Seconds()}, err
	}
	alone, err := write("slipway: .tar.zst alone", func(l *bundle.Layout) (*bundle.File, error) {
		return w.Write(ctx, l, both, "", nil, nil)
	})
	if err != nil {
		return c, err
	}
	ours, err := write("slipway: .tar.zst and .tar.gz", func(l *bundle.Layout) (*bundle.File, error) {
		return w.Write(ctx, l, both, gz, nil, nil)
	})
	if err != nil {
		return c, err
	}
	ours.bytes = size(gz)
	if _, err := measure(ctx, "", []string{"zstd", "-q", "-d", "-f", both, "-o", archive}); err != nil {
		return c, err
	}
	pigz, err := measure(ctx, "pigz, of the tar", []string{"pigz", "-k", archive, "-S", ".pigz"})
	pigz.bytes = size(archive + ".pigz")
	return comparison{
		title: fmt.Sprintf("A bundle of %d bytes as .tar.gz, too", size(archive)),
		ours:  ours, other: []figure{pigz, alone},
	}, errors.Join(err, os.Remove(archive))
}
