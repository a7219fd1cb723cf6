package oci

import (
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// large is the size in bytes from which on a first layer is one of Microsoft's: that for
// HostProcess containers has some KiB, and the smallest other one 100 MiB.
const large = 32 << 20

// WindowsBase returns how many of an image's first layers are those of a base of Microsoft, and
// when that was made: the history of each of these bases has a record of the release and mostly
// one of an update. Without such records a first layer that is large is a base, and the time is
// zero.
func WindowsBase(c *v1.ConfigFile, all []v1.Descriptor) (layers int, made time.Time) {
	for _, h := range c.History {
		if strings.HasPrefix(h.CreatedBy, "Apply image ") || strings.HasPrefix(h.CreatedBy, "Install update ") {
			layers, made = layers+1, h.Created.Time
		}
	}
	if layers == 0 && len(all) > 0 && all[0].Size > large {
		return 1, time.Time{}
	}
	return layers, made
}
