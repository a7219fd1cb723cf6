package purl

import (
	"net/url"
	"strings"
)

// ImageFile returns the name of an image in a file, as oci:DIR:TAG, as a URI. There is no package
// URL of it: only the machine that has the file knows what it names.
func ImageFile(name string) string {
	transport, path, _ := strings.Cut(name, ":")
	return transport + ":" + (&url.URL{Path: path}).EscapedPath()
}
