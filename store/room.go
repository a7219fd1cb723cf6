package store

import (
	"fmt"
	"math"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Room checks that the disk of the store has room for blobs, by the sizes that their descriptors
// list: before one of them is fetched, since a registry may list a size that never ends.
func (s *Store) Room(blobs ...v1.Descriptor) error {
	var all int64
	for _, b := range blobs {
		if b.Size < 0 || all > math.MaxInt64-b.Size {
			return fmt.Errorf("blob %s: the sizes of all blobs are more than any disk has", b.Digest)
		}
		all += b.Size
	}
	free, err := disk.Free(s.Dir())
	if err != nil || uint64(all) <= free {
		return nil //nolint:nilerr // where the file system does not report it, writing does
	}
	return fmt.Errorf("the blobs to fetch have %s, and the disk of %s has room for %s: "+
		"check whether an image can be that large, or make room",
		progress.Size(all), s.Dir(), progress.Size(int64(min(free, math.MaxInt64))))
}
