package lint

import (
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/platform/distribution"
)

// baseName is the label that names a base
// (https://github.com/opencontainers/image-spec/blob/main/annotations.md).
const baseName = "org.opencontainers.image.base.name"

// behind is how many patch days a base may be behind before that is reported: images are made again
// some days after a patch day, and not on it.
const behind = 2

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
	made, by := windowsBase(e.Config)
	if made.IsZero() {
		return
	}
	days, last := platform.PatchDays(made, j.options.Now)
	if days < behind {
		return
	}
	extended := ""
	if r, ok := platform.FindWindows(e.Config.OSVersion); ok && r.Support.OnlyExtended(j.options.Now) {
		extended = "; the mainstream support of " + r.Support.Name + " ended on " + r.Support.Until
	}
	j.add("index-base-old", n, "its base, Windows %.50s, is of %s%s: Microsoft has had %d patch days since, "+
		"the last on %s%s", e.Config.OSVersion, made.UTC().Format(time.DateOnly), by, days, last.Format(time.DateOnly), extended)
}

// windowsBase returns when the base of an image for Windows was made: the history of each base of
// Microsoft has a record of the release and one of the update. Without them, the base is not newer
// than the image. The time is zero if nothing tells it.
func windowsBase(c *v1.ConfigFile) (made time.Time, by string) {
	for _, h := range c.History {
		if strings.HasPrefix(h.CreatedBy, "Apply image ") || strings.HasPrefix(h.CreatedBy, "Install update ") {
			made = h.Created.Time
		}
	}
	if told(made) {
		return made, ""
	}
	if made = c.Created.Time; told(made) {
		return made, " or older, as the image"
	}
	return time.Time{}, ""
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
