package lint

import (
	"github.com/slipway-dev/slipway/platform/distribution"
)

// Inside is what the layers of an image have.
type Inside struct {
	// OS is the content of os-release; empty if the image does not have the file.
	OS distribution.OSRelease
	// Faults are why the image would not start.
	Faults []InsideFault
}

// InsideFault is something that the layers of an image lack, or have for another system.
type InsideFault struct {
	Rule string // its ID
	What string
}

// inside reports problems in the layers of the entries, as far as they were read.
func (j *judging) inside() {
	for n, e := range j.index.Entries {
		if e.Inside == nil {
			continue
		}
		if d, r, ok := e.Inside.OS.Release(); ok {
			j.support(n, d, r, "os-release")
		}
		for _, f := range e.Inside.Faults {
			j.add(f.Rule, n, "%s", f.What)
		}
	}
}

// foreign reports layers that a mirror does not get.
func (j *judging) foreign() {
	for n, e := range j.index.Entries {
		for _, l := range e.Layers {
			if !l.MediaType.IsDistributable() {
				j.add("index-foreign-layer", n, "layer %s (%s) is not to be distributed", l.Digest, l.MediaType)
				break
			}
		}
	}
}
