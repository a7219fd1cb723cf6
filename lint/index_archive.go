package lint

import (
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/output"
)

// Archive is the content of an archive or an image layout that its images do not list. The first
// of its images has it.
type Archive struct {
	Path string // as it was named
	// Snapshot names the product and the version of a bundle that is of a snapshot.
	Snapshot string
	// Unused are a few of the blobs that no image lists; UnusedFiles counts all, and UnusedBytes is
	// their size.
	Unused      []string
	UnusedFiles int
	UnusedBytes int64
	// Differ are lines on images that index.json and manifest.json describe in two ways.
	Differ []string
	// Docker are images that only manifest.json names, and Layout those that only index.json names.
	Docker, Layout []string
	// Subjects are lines on artifacts whose subject is not in the archive.
	Subjects []string
	// Ambiguous are lines on files of which two readers take two.
	Ambiguous []string
}

// archive looks at the layers of an image in an archive, and at the archive in the first of its
// images.
func (j *judging) archive() {
	j.layers()
	if absent := j.absent(); len(absent) > 0 {
		j.add("archive-subset", -1, "the archive lacks %s", some(absent))
	}
	if a := j.index.Archive; a != nil {
		from := len(j.found)
		j.contents(a)
		for n := range j.found[from:] {
			j.found[from+n].File, j.found[from+n].Image = output.Line(a.Path), output.Line(a.Path)
		}
	}
}

// layers looks at the layers of an image in an archive.
func (j *judging) layers() {
	for n, e := range j.index.Entries {
		if len(e.Lost) > 0 {
			j.add("archive-missing", n, "the archive lacks %s", some(e.Lost))
		}
		if len(e.Damaged) > 0 {
			j.add("archive-damaged", n, "%s", some(e.Damaged))
		}
	}
}

// contents looks at an archive as a whole.
func (j *judging) contents(a *Archive) {
	for _, of := range []struct {
		rule  string
		lines []string
	}{
		{"archive-differs", a.Differ},
		{"archive-ambiguous", a.Ambiguous},
		{"archive-index-lacks", a.Docker},
		{"archive-docker-lacks", a.Layout},
		{"evidence-lost", a.Subjects},
	} {
		const most = 50
		for _, line := range of.lines[:min(most, len(of.lines))] {
			j.add(of.rule, -1, "%s", line)
		}
		if n := len(of.lines) - most; n > 0 {
			j.add(of.rule, -1, "there are %d more", n)
		}
	}
	if a.Snapshot != "" {
		j.add("archive-snapshot", -1, "it is of a snapshot of %s", a.Snapshot)
	}
	if a.UnusedFiles > 0 {
		j.add("archive-unused", -1, "no image lists %s%s: %d bytes", some(a.Unused), more(a.UnusedFiles-len(a.Unused)),
			a.UnusedBytes)
	}
}

// partial reports whether an archive has an image of its index, so that those that it lacks may
// have been omitted on purpose.
func (j *judging) partial() bool {
	for _, e := range j.index.Entries {
		if j.index.Packed && !j.index.Single && !e.IsAttestation() && e.Read != outcome.Absent {
			return true
		}
	}
	return false
}

// absent names the images of an index that an archive of some of them lacks.
func (j *judging) absent() (names []string) {
	if !j.partial() {
		return nil
	}
	for n, e := range j.index.Entries {
		if e.Nested != nil {
			inner := judging{index: *e.Nested}
			inner.index.Packed = true
			names = append(names, inner.absent()...)
		} else if e.Read == outcome.Absent && !e.IsAttestation() {
			names = append(names, j.name(n))
		}
	}
	return names
}
