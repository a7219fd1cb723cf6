package lint

import (
	"slices"

	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/platform"
)

// Promise is the platform that the name of an archive or a list states for its images. Fields
// that the name does not state are empty.
type Promise struct {
	Platform platform.Platform
	// Name is the part of the name that says so.
	Name string
}

// configured returns the platforms of the images that are there, by their configurations where
// these were read, also those of an index in the index.
func (i Index) configured() (all []platform.Platform) {
	for _, e := range i.Entries {
		if e.Nested != nil {
			all = append(all, e.Nested.configured()...)
			continue
		}
		p := platform.From(e.Desc.Platform)
		if e.Config != nil {
			p = platform.FromConfig(e.Config)
		}
		if p.IsImage() && e.Read != outcome.Absent {
			all = append(all, p)
		}
	}
	return all
}

// hasImage reports whether the index is of images, and not an artifact such as a chart.
func (i Index) hasImage() bool {
	return slices.ContainsFunc(i.Entries, func(e Entry) bool {
		switch e.Read {
		case outcome.Absent, outcome.Broken, outcome.Unread:
			return true
		case outcome.There, outcome.Unasked:
		}
		return e.Nested != nil && e.Nested.hasImage() || e.Config != nil && e.Config.OS != ""
	})
}

// promised compares the images with what the name of their archive or list says.
func (j *judging) promised() {
	p := j.index.Promise
	if p.Name == "" || !j.index.hasImage() {
		return
	}
	has := j.index.configured()
	for _, one := range has {
		if p.holds(one) {
			return
		}
	}
	switch {
	case !j.index.Packed && p.Platform.OS != "" && p.Platform.Architecture != "":
		j.add("index-platform-absent", -1, "the list's name says %s, and no entry is for that", p.Name)
	case j.index.Packed && len(has) > 0:
		j.add("archive-name", -1, "the archive's name says %s, and the image is for %s", p.Name, has[0])
	}
}

// holds reports whether an image is for the platform.
func (p Promise) holds(image platform.Platform) bool {
	same := func(want, have string) bool { return want == "" || want == have }
	return same(p.Platform.OS, image.OS) && same(p.Platform.Architecture, image.Architecture) &&
		(image.OSVersion == "" || same(platform.Short(p.Platform.OSVersion), platform.Short(image.OSVersion)))
}
