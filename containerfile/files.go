package containerfile

import (
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/platform"
)

// Files returns the files of a Linux image as its containers see them, with those of its base. ok
// reports whether all of them are known: they are not on a stub, nor in a check that leaves a RUN
// to a release.
func (r Result) Files() (files tree.Files, ok bool) {
	t := r.start.image.Tree
	if t == nil || t.Open || t.More || t.Later || r.start.image.On.OS == platform.Windows {
		return nil, false
	}
	return t, true
}
