package git

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"strings"
)

// Archive returns the files of a directory of a commit as git archive gives them to the go command,
// with the line breaks that they have in git. in is the directory in the repository, "" for all.
func Archive(ctx context.Context, dir, hash, in string) (*zip.Reader, error) {
	args := []string{"-c", "core.autocrlf=input", "-c", "core.eol=lf", "archive", "--format=zip", hash}
	if in != "" {
		args = append(args, in)
	}
	v, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer v.close()
	if v.place.root != "" {
		v.work = v.place.root // in is a path of the repository
	}
	out, err := v.output(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("making an archive of commit %s: %w", hash, err)
	}
	return zip.NewReader(bytes.NewReader(out), int64(len(out)))
}

// License returns the LICENSE of a commit, which belongs to every module in it.
func License(ctx context.Context, dir, hash string) ([]byte, bool) {
	v, err := open(ctx, dir)
	if err != nil {
		return nil, false
	}
	defer v.close()
	out, err := v.output(ctx, "cat-file", "blob", strings.TrimSpace(hash)+":LICENSE")
	return out, err == nil
}
