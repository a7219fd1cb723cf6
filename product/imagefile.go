package product

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagename"
)

// ImageFile is where an image is that another builder left on this machine: an OCI image layout or
// an archive, by the names that containers/image has for them
// (https://github.com/containers/image/blob/main/docs/containers-transports.5.md).
type ImageFile struct {
	Transport string  // oci, oci-archive or docker-archive
	Path      string  // absolute
	Name      string  // a tag, or of a docker-archive repository:tag; "" for none
	Digest    v1.Hash // of a manifest or index in the layout; zero for none
	Text      string  // as slipway.yaml has it, with its templates evaluated
}

const imageFileForms = "write oci:DIR[:TAG|@DIGEST], oci-archive:FILE[:TAG|@DIGEST] or docker-archive:FILE[:NAME]"

// otherTransports are names of containers/image that are none of images in files here. A
// repository of Docker Hub could have each of them, but nobody means that.
var otherTransports = []string{
	"containers-storage", "dir", "docker", "docker-daemon", "oci-layout", "ostree", "sif", "atomic", "tarball",
}

// IsImageFile reports whether a text names an image in a file, not one of a registry.
func IsImageFile(s string) bool {
	transport, _, ok := strings.Cut(s, ":")
	return imagename.IsFile(s) || ok && slices.Contains(otherTransports, transport)
}

// parseImageFile reads the name of an image in a file; the path is relative to dir.
func parseImageFile(s, dir string) (f ImageFile, err error) {
	transport, rest, _ := strings.Cut(s, ":")
	f = ImageFile{Transport: transport, Text: s}
	if !imagename.IsFile(s) {
		return f, fmt.Errorf("%s: is not a form of image that slipway reads: %s, or repository:tag@sha256:…",
			transport, imageFileForms)
	}
	path := rest
	if at := strings.LastIndex(rest, "@sha"); at >= 0 && strings.Contains(rest[at:], ":") &&
		transport != "docker-archive" {
		path = rest[:at]
		if f.Digest, err = v1.NewHash(rest[at+1:]); err != nil {
			return f, fmt.Errorf("%s: a digest is sha256: and 64 hexadecimal digits: copy all of it", s)
		}
	} else if before, after, ok := strings.Cut(rest, ":"); ok {
		if path, f.Name = before, after; f.Name == "" {
			return f, fmt.Errorf("%s ends with a colon: %s", s, imageFileForms)
		}
	}
	if path == "" || strings.ContainsAny(path, "\x00\n") {
		return f, fmt.Errorf("%s: names no file: %s", s, imageFileForms)
	}
	if f.Path = filepath.FromSlash(path); !filepath.IsAbs(f.Path) {
		f.Path = filepath.Join(dir, f.Path)
	}
	return f, nil
}
