// Wharfie reads an archive as RKE2 does, for the benchmark: it looks up an image by its
// tag in a directory, and reads its layers.
//
//	wharfie lookup|read DIR NAME
//
// Lookup succeeds whether or not the image exists. The command is in the module of a suite, so
// that slipway does not depend on RKE2's dependencies.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/rancher/wharfie/pkg/tarfile"
	"github.com/sirupsen/logrus"
)

func main() {
	logrus.SetLevel(logrus.WarnLevel)
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: wharfie lookup|read DIR NAME")
	}
	tag, err := name.NewTag(args[2])
	if err != nil {
		return err
	}
	img, err := tarfile.FindImage(args[1], tag)
	if args[0] == "lookup" {
		if errors.Is(err, tarfile.ErrNotFound) {
			err = nil
		}
		return err
	}
	if err != nil {
		return err
	}
	layers, err := img.Layers()
	if err != nil {
		return err
	}
	for _, l := range layers {
		r, err := l.Uncompressed()
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return fmt.Errorf("reading a layer: %w", err)
		}
		if err := r.Close(); err != nil {
			return err
		}
	}
	return nil
}
