package bundle

import (
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/output"
)

// Limits of reading an untrusted file. A head of 1,000 images for five platforms has about 30
// MiB.
const (
	maxHead    = 48 << 20 // bytes of the decompressed head
	maxEntries = 32 << 10 // metadata blobs
	maxBlob    = oci.MaxConfig
	// values of one JSON document; 10,000 images have four fifths of that in index.json
	maxValues = oci.MaxValues
	// the same of manifest.json, which takes less memory: 10,000 images of three layers
	maxDocker = 256 << 10
	// bytes of metadata blobs that are read: an image may have several names, and each reads it
	maxRead    = 4 * maxHead
	maxErrors  = 1000    // reported of one head
	maxNameLen = 255     // bytes of a media type, a platform, a version
	maxText    = 4 << 10 // bytes of a reason
	maxLayer   = 1 << 40 // bytes of a layer
	maxLayers  = 1 << 50 // bytes of all layers: sums stay far from an overflow
)

// maxCount is how many layers a bundle may have, each once, and a single image may list.
var maxCount = 64 << 10 // a variable for the test that has more

// maxRefs is how often the images of a bundle may list a manifest or a layer: more than it has,
// since images share them.
const maxRefs = 128 << 10

// isText reports whether s is a line of printable text of at most limit bytes.
func isText(s string, limit int) bool { return len(s) <= limit && output.IsLine(s) }
