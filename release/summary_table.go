package release

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// WriteTable writes the summary for people: the images, the omitted images, and the files. The
// first and last lines of a snapshot state that.
func (s *Summary) WriteTable(w io.Writer) error {
	for _, write := range []func(io.Writer) error{
		s.writeStubs, s.writeImages, s.writeCharts, s.writeFloating, s.writeOmitted, s.writeOmittedReferrers,
		s.writeFindings, s.writePrebuilt, s.writeFiles, s.writeSigned, s.writePart, s.writeBefore,
	} {
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}

func (s *Summary) writeFindings(w io.Writer) error { return writeFindings(w, s.Findings) }

func (s *Summary) writeImages(w io.Writer) error {
	t := output.NewTable(w, "IMAGE\tPLATFORMS\tSIZE\tDIGEST")
	for _, i := range s.Images {
		for n, p := range i.Platforms {
			name, digest := "", ""
			if n == 0 {
				name, digest = i.Name, i.Digest
			}
			if n < len(i.Manifests) {
				digest = i.Manifests[n]
			}
			t.Row("%s\t%s\t%s\t%s", name, p, progress.Size(i.Sizes[n]), digest)
		}
	}
	return t.Flush()
}

func (s *Summary) writeCharts(w io.Writer) error {
	t := output.NewTable(w, "\nCHART\tVERSION\tDIGEST")
	for _, c := range s.Charts {
		t.Row("%s\t%s\t%s", c.Names[0], c.Version, c.Digest)
	}
	return t.Flush()
}

// writeFloating lists the floating tags. Those of a snapshot exist nowhere.
func (s *Summary) writeFloating(w io.Writer) error {
	if len(s.FloatingTags) == 0 || s.Snapshot {
		return nil
	}
	t := output.NewTable(w, "\nFLOATING TAG\tSTATE")
	for _, f := range s.FloatingTags {
		state := "new"
		switch {
		case f.Kept != "":
			state = "stays: " + f.Kept
		case f.here:
			state = "exists"
		case f.From.Hex != "":
			state = "moved from " + f.From.String()
		}
		t.Row("%s:%s\t%s", f.Repository, f.Tag, state)
	}
	return t.Flush()
}

// writePart writes what merge is given, on a line of its own that logs can be searched for.
func (s *Summary) writePart(w io.Writer) error {
	if s.Part == "" {
		return nil
	}
	_, err := output.Fprintf(w, "\npart: %s\n", s.Part)
	return err
}

func (s *Summary) writeFiles(w io.Writer) error {
	t := output.NewTable(w, "\nFILE\tSIZE")
	for _, f := range s.Files {
		t.Row("%s\t%s", filepath.Join(s.Out, f.Name), progress.Size(f.Size))
	}
	return t.Flush()
}

// writeSigned states whether the release is signed, and how to verify that.
func (s *Summary) writeSigned(w io.Writer) error {
	if s.Snapshot || s.Part != "" || len(s.Selected) > 0 {
		return nil
	}
	text := "This release is not signed: -sign=FILE signs it."
	if s.Signed {
		text = "This release is signed: slipway verify -key=FILE.pub " + s.Out + " proves it."
	}
	_, err := output.Fprintf(w, "\n%s\n", text)
	return err
}

// writeOmitted lists each omitted image and reason once, with the bundles that omit it.
func (s *Summary) writeOmitted(w io.Writer) error {
	if len(s.Omitted) == 0 {
		return nil
	}
	type line struct{ image, reason string }
	var order []line
	from := map[line][]string{}
	for _, l := range s.Omitted {
		k := line{l.Image, l.Reason}
		if from[k] == nil {
			order = append(order, k)
		}
		from[k] = append(from[k], l.From)
	}
	fmt.Fprintln(w, "\nOMITTED")
	for _, k := range order {
		output.Fprintf(w, "%s\n  from %s: %s\n", k.image, strings.Join(from[k], ", "), k.reason)
	}
	return nil
}

func (s *Summary) writeOmittedReferrers(w io.Writer) error {
	return writeOmittedReferrers(w, s.OmittedReferrers)
}

// writeOmittedReferrers lists what registries did not get, one on each line.
func writeOmittedReferrers(w io.Writer, all []transfer.OmittedReferrer) error {
	return writeList(w, "REFERRERS OMITTED", all)
}

// writeList writes a title and a line for each element, or nothing for an empty list.
func writeList[T any](w io.Writer, title string, all []T) error {
	if len(all) == 0 {
		return nil
	}
	_, err := output.Fprintf(w, "\n%s\n", title)
	for _, o := range all {
		if err == nil {
			_, err = output.Fprintf(w, "%s\n", o)
		}
	}
	return err
}

// writePrebuilt lists the prebuilt programs and images, one on each line.
func (s *Summary) writePrebuilt(w io.Writer) error {
	lines := slices.Clone(s.Taken)
	for _, p := range s.Prebuilt {
		lines = append(lines, fmt.Sprintf("%s, %s", p, p.Digest))
	}
	return writeList(w, "NOT BUILT FROM SOURCE BY THIS RELEASE", lines)
}

// writeStubs begins the summary of a snapshot with the images that cannot run.
func (s *Summary) writeStubs(w io.Writer) error {
	if !s.Snapshot {
		return nil
	}
	fmt.Fprintf(w, "This is a snapshot of %s %s: no registry was named, and nothing was pushed.\n", s.Name, s.Version)
	if len(s.Stubs) > 0 {
		fmt.Fprintln(w, "Images on stub bases cannot run:")
	}
	t := output.NewTable(w, "")
	for _, i := range s.Stubs {
		name, _, _ := strings.Cut(i.Name, "@")
		t.Row("  %s\t%s\t%s", i.Platform, name, strings.Join(i.Images, ", "))
	}
	t.Row("")
	return t.Flush()
}

// writeBefore ends the summary of a snapshot with what a release would require.
func (s *Summary) writeBefore(w io.Writer) error {
	if !s.Snapshot {
		return nil
	}
	fmt.Fprint(w, "\nThis is a snapshot. A release is made with -registry=HOST/PREFIX")
	if len(s.BeforeRelease) > 0 {
		fmt.Fprint(w, ", once this is done:")
		for _, line := range s.BeforeRelease {
			fmt.Fprint(w, "\n  ", line)
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}
