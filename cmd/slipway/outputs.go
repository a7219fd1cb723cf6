package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/regular"
)

// written is the annotation of a flag with the file that a command writes: how it does.
const (
	written  = "slipway_written"
	replaced = "replaced"
	either   = "replaced, or a directory with files"
	appended = "appended"
)

// writesTo marks a flag with the file that a command writes.
func writesTo(cmd *cobra.Command, name, how string) { note(cmd, name, written, how) }

// checkOutputs refuses files that a command must not replace before it does anything. A command
// writes to the file that a symbolic link leads to.
func checkOutputs(cmd *cobra.Command, args []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		path, how := f.Value.String(), strings.Join(f.Annotations[written], "")
		switch {
		case err != nil || how == "":
			return
		case path == "-" && !strings.HasSuffix(f.Usage, printable):
			err = misuse(cmd, "-%s=-: %s does not write to standard output: name a file",
				cmp.Or(f.Shorthand, f.Name), cmd.Name())
			return
		case path == "-" || how == appended:
			return
		}
		target, wrong := outputFile(path, how == either)
		if wrong == nil {
			wrong = apart(cmd, f, target, args)
		}
		if wrong != nil {
			err = misuse(cmd, "-%s=%s %w", f.Name, path, wrong)
			return
		}
		err = f.Value.Set(target)
	})
	return err
}

// outputFile returns the path at which a file may be written.
func outputFile(path string, dirs bool) (string, error) {
	target := path
	if fi, err := os.Lstat(path); err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return "", errors.New("is a symbolic link to nothing: name another file")
		}
	}
	switch fi, err := os.Stat(target); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", fmt.Errorf("cannot be written: %w", err)
	case fi.IsDir() && !dirs:
		return "", errors.New("is a directory: name a file in it")
	case !fi.IsDir() && !fi.Mode().IsRegular():
		return "", errors.New("is not a regular file: name another")
	}
	dir, err := filepath.Abs(target)
	if err != nil {
		return "", fmt.Errorf("cannot be written: %w", err)
	}
	for range 2 { // of the release, or below it as bin/slipway
		dir = filepath.Dir(dir)
		if listed(dir, target) {
			return "", errors.New("is a file of a release, whose checksums it has: name another")
		}
	}
	return target, nil
}

// listed reports whether the checksums of the release in dir have a file, or are it. Lines that are
// none, as in a damaged release, protect nothing, and the others do.
func listed(dir, path string) bool {
	text, err := regular.Read(filepath.Join(dir, distfile.Sums))
	if err != nil {
		return false
	}
	names := []string{distfile.Sums, distfile.SumsBundle, distfile.SumsSignature}
	for line := range strings.Lines(string(text)) {
		if _, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  "); ok {
			names = append(names, name)
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return sameFile(filepath.Join(dir, filepath.FromSlash(name)), path)
	})
}

// apart reports that a command reads the file that it would write.
func apart(cmd *cobra.Command, out *pflag.Flag, path string, args []string) (err error) {
	for _, arg := range args {
		if sameFile(arg, path) {
			return errors.New("is the file to read: name another")
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f != out && sameFile(f.Value.String(), path) {
			err = fmt.Errorf("is the file of -%s: name another", f.Name)
		}
	})
	return err
}

// sameFile reports whether two paths are of one file that exists.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y) && !x.IsDir()
}
