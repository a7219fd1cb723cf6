package chart

import (
	"archive/tar"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Package writes the chart as "helm package" does, with its subcharts as directories. The bytes
// depend on the files and the time only.
func (c *Chart) Package(w io.Writer, t time.Time) error {
	zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	zipped.Header = gzip.Header{OS: 255}
	archive := tar.NewWriter(zipped)
	files := slices.Clone(c.files)
	// Chart.yaml comes first, so that who lists a registry need not read far.
	slices.SortStableFunc(files, func(a, b File) int { return rank(a) - rank(b) })
	for _, f := range files {
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: path.Join(c.Name(), f.Path),
			Mode: 0o644, Size: int64(len(f.Data)), ModTime: t.UTC().Truncate(time.Second),
		}
		if err := archive.WriteHeader(h); err != nil {
			return fmt.Errorf("packaging chart %s: %s: %w", c.Name(), f.Path, err)
		}
		if _, err := archive.Write(f.Data); err != nil {
			return fmt.Errorf("packaging chart %s: %w", c.Name(), err)
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("packaging chart %s: %w", c.Name(), err)
	}
	if err := zipped.Close(); err != nil {
		return fmt.Errorf("packaging chart %s: %w", c.Name(), err)
	}
	return nil
}

func rank(f File) int {
	if f.Path == chartFile {
		return 0
	}
	return 1
}
