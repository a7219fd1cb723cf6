package lint

import (
	"time"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/platform/distribution"
)

// baseName is the label that names a base
// (https://github.com/opencontainers/image-spec/blob/main/annotations.md).
const baseName = "org.opencontainers.image.base.name"

// age looks at how old the bases of the entries are, by their configurations.
func (j *judging) age() {
	for n, e := range j.index.Entries {
		if e.Config == nil {
			continue
		}
		if e.Config.OS == platform.Windows {
			j.windowsAge(n, e)
			continue
		}
		if d, r, ok := distribution.OfImage(e.Config.Config.Labels[baseName]); ok && e.Inside == nil {
			j.support(n, d, r, "its label "+baseName)
		}
	}
}

// windowsAge reports a base for Windows that lacks the updates of several patch days.
func (j *judging) windowsAge(n int, e Entry) {
	layers, made := oci.WindowsBase(e.Config, e.Layers)
	if layers == 0 {
		return
	}
	of := "is"
	if !told(made) {
		made, of = e.Config.Created.Time, "has no date, and the image is"
	}
	days, last := platform.PatchDays(made, j.options.Now)
	if days < platform.Behind || !told(made) {
		return
	}
	extended := ""
	if r, ok := platform.FindWindows(e.Config.OSVersion); ok && r.Support.OnlyExtended(j.options.Now) {
		extended = "; the mainstream support of " + r.Support.Name + " ended on " + r.Support.Until
	}
	j.add("index-base-old", n, "its base, Windows %.50s, %s of %s: Microsoft has had %d patch days since, "+
		"the last on %s%s", e.Config.OSVersion, of, made.UTC().Format(time.DateOnly), days,
		last.Format(time.DateOnly), extended)
}

// told reports whether a time is one at which an image for Windows can have been made. Builders
// that are reproducible write 1970 or 1980.
func told(t time.Time) bool { return t.Year() >= 2016 }

// support reports a release of a distribution whose support has ended. by is what names it.
func (j *judging) support(n int, d distribution.Distribution, r distribution.Release, by string) {
	s := d.Support(r)
	id := "index-base-extended"
	if s.Ended(j.options.Now) {
		id = "index-base-ended"
	}
	if text := s.State(j.options.Now); text != "" {
		j.add(id, n, "its base is %s by %s: %s (%s)", s.Name, by, text, d.Source)
	}
}
