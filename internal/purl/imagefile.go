package purl

import (
	"net/url"
	"strings"
)

// ImageFile returns the name of an image in a file, as oci:DIR:TAG, as a URI. A package URL
// cannot name it: only the machine that has the file knows the image.
func ImageFile(name string) string {
	transport, path, _ := strings.Cut(name, ":")
	return transport + ":" + (&url.URL{Path: path}).EscapedPath()
}
