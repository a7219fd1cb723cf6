package storetest

import (
	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
)

// Built returns what publish makes a lock of: the same without the names.
func Built(l *lock.Lock) *built.Result {
	r := &built.Result{
		BuildVersion: stagefile.Build.Version, Name: l.Name, Version: l.Version, Created: l.Created,
		Go: l.Go, Sources: l.Sources, Artifacts: l.Artifacts,
	}
	for _, i := range l.Images {
		r.Images = append(r.Images, built.Image{
			Name: i.Name, Kind: i.Kind, MediaType: i.MediaType,
			Digest: i.Digest, Size: i.Size, Children: i.Children,
		})
	}
	return r
}
