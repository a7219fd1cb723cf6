package imagename

import (
	"slices"
	"strings"
)

// transports are those of images in files, by the names that containers/image has for them
// (https://github.com/containers/image/blob/main/docs/containers-transports.5.md).
var transports = []string{"oci", "oci-archive", "docker-archive"}

// IsFile reports whether a text names an image in a file, as oci:DIR:TAG, and not one of a registry.
func IsFile(s string) bool {
	transport, _, ok := strings.Cut(s, ":")
	return ok && slices.Contains(transports, transport)
}
