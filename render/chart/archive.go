package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/output"
)

// unpack reads the files of a .tgz, whose paths begin with the chart's directory, and subtracts
// their size from left.
func unpack(r io.Reader, shown string, left *int64) ([]File, error) {
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%s is not a chart: %w: name a .tgz that helm package made", shown, err)
	}
	defer unzipped.Close() //nolint:errcheck // of a reader
	archive := tar.NewReader(io.LimitReader(unzipped, *left+int64(maxFiles)*1024))
	var files []File
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s is damaged: %w: package the chart again", shown, err)
		}
		if h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		name, err := member(h)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shown, err)
		}
		data, err := io.ReadAll(io.LimitReader(archive, *left+1))
		if err != nil {
			return nil, fmt.Errorf("%s is damaged: %w: package the chart again", shown, err)
		}
		if *left -= int64(len(data)); *left < 0 || len(files) >= maxFiles {
			return nil, tooLarge(shown)
		}
		files = append(files, File{name, shown + "/" + output.Line(name), trimBOM(data)})
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no files: package the chart again", shown)
	}
	return files, nil
}

// member returns the path of a member of an archive from the chart's root.
func member(h *tar.Header) (string, error) {
	shown := output.Line(h.Name)
	if h.Typeflag != tar.TypeReg {
		return "", fmt.Errorf("member %s is not a file: package the chart again without links", shown)
	}
	name := strings.ReplaceAll(h.Name, `\`, "/") // of Windows
	_, name, ok := strings.Cut(name, "/")
	if !ok || name == "" {
		return "", fmt.Errorf("member %s is not in the chart's directory: package the chart with helm package", shown)
	}
	if path.IsAbs(name) || path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../") ||
		strings.ContainsAny(name, ":\x00") && drive(name) {
		return "", fmt.Errorf("member %s leads out of the chart: package the chart again", shown)
	}
	return name, nil
}

// drive reports whether a path has a NUL, or starts with the letter of a drive.
func drive(name string) bool {
	return strings.Contains(name, "\x00") || len(name) > 1 && name[1] == ':'
}

// expand replaces packaged subcharts by their files, as helm package does.
func expand(files []File, depth int, left *int64) ([]File, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%s: subcharts nest too deep", files[0].Shown)
	}
	var all []File
	for _, f := range files {
		if !isArchive(f.Path) {
			all = append(all, f)
			continue
		}
		inner, err := unpack(bytes.NewReader(f.Data), f.Shown, left)
		if err != nil {
			return nil, err
		}
		if inner, err = expand(inner, depth+1, left); err != nil {
			return nil, err
		}
		dir := strings.TrimSuffix(f.Path, archiveName)
		if slices.ContainsFunc(files, func(o File) bool { return strings.HasPrefix(o.Path, dir+"/") }) {
			return nil, fmt.Errorf("%s is there as a directory, too: keep one of them", f.Shown)
		}
		for _, i := range inner {
			i.Path = path.Join(dir, i.Path)
			all = append(all, i)
		}
	}
	return all, nil
}
