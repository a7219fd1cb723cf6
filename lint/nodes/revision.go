package nodes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// linkRevision is a report of an image that was newer than its host.
const linkRevision = "https://github.com/microsoft/Windows-Containers/issues/591"

// Older is what the nodes that lack an update of Windows run of an image.
type Older struct {
	Image platform.Platform // of the image's own build, with its revision
	Nodes []Node            // of the same build, with older revisions
}

// String says what may happen on the nodes, and what to do.
func (o Older) String() string {
	var names []string
	for _, n := range o.Nodes {
		names = append(names, n.Name+" ("+n.Version+")")
	}
	return fmt.Sprintf("its Windows, %s, has a newer revision than %s: its containers may end there with 0xc0370106 "+
		"(%s): update the nodes, or use an image of their revision", o.Image.OSVersion, some(names), linkRevision)
}

// FindOlder returns the nodes whose revision of Windows is older than that of the image that they
// take of these platforms, by image. Microsoft documents that the revision does not count; images
// with updates have failed on hosts without them all the same (linkRevision,
// https://github.com/actions/runner-images/issues/11582). A node that reports no revision, and one
// that runs an image of another build, is not among them.
func FindOlder(list []Node, images []platform.Platform) []Older {
	var all []Older
	for _, n := range list {
		best := platform.Best(n.Platform, images)
		if best < 0 || n.Version == "" {
			continue
		}
		image := images[best] // whose build is the node's, or older
		host := image
		host.OSVersion = n.Version
		if strings.Count(image.OSVersion, ".") != 3 || platform.Compare(host, image) <= 0 { // the newest is first
			continue
		}
		at := slices.IndexFunc(all, func(o Older) bool { return o.Image == image })
		if at < 0 {
			at = len(all)
			all = append(all, Older{Image: image})
		}
		all[at].Nodes = append(all[at].Nodes, n)
	}
	return all
}
