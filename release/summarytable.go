package release

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

// WriteTable writes the summary for people: the images, what was omitted, and the files. Its
// first and last lines report if the release is a snapshot.
func (s *Summary) WriteTable(w io.Writer) error {
	for _, write := range []func(io.Writer) error{
		s.writeStubs, s.writeImages, s.writeCharts, s.writeFloating, s.writeOmitted, s.writeFindings,
		s.writePrebuilt, s.writeFiles, s.writeBefore,
	} {
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}

func (s *Summary) writeFindings(w io.Writer) error { return writeFindings(w, s.Findings) }

func (s *Summary) writeImages(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tPLATFORMS\tSIZE\tDIGEST")
	for _, i := range s.Images {
		for n, p := range i.Platforms {
			name, size, digest := "", "", ""
			if n == 0 {
				name, size, digest = i.Name, progress.Size(i.Size), i.Digest
			}
			if n < len(i.Manifests) {
				digest = i.Manifests[n]
			}
			output.Fprintf(t, "%s\t%s\t%s\t%s\n", name, p, size, digest)
		}
	}
	return t.Flush()
}

func (s *Summary) writeCharts(w io.Writer) error {
	if len(s.Charts) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "CHART\tVERSION\tDIGEST")
	for _, c := range s.Charts {
		output.Fprintf(t, "%s\t%s\t%s\n", c.Names[0], c.Version, c.Digest)
	}
	return t.Flush()
}

// writeFloating lists the floating tags. Those of a snapshot exist nowhere.
func (s *Summary) writeFloating(w io.Writer) error {
	if len(s.FloatingTags) == 0 || s.Snapshot {
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FLOATING TAG\tSTATE")
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
		output.Fprintf(t, "%s:%s\t%s\n", f.Repository, f.Tag, state)
	}
	return t.Flush()
}

func (s *Summary) writeFiles(w io.Writer) error {
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FILE\tSIZE")
	for _, f := range s.Files {
		output.Fprintf(t, "%s\t%s\n", filepath.Join(s.Out, f.Name), progress.Size(f.Size))
	}
	return t.Flush()
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

// writePrebuilt lists the prebuilt programs, one on each line.
func (s *Summary) writePrebuilt(w io.Writer) error {
	if len(s.Prebuilt) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nNOT BUILT FROM SOURCE BY THIS RELEASE")
	for _, p := range s.Prebuilt {
		if _, err := output.Fprintf(w, "%s, %s\n", p, p.Digest); err != nil {
			return err
		}
	}
	return nil
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
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, i := range s.Stubs {
		name, _, _ := strings.Cut(i.Name, "@")
		fmt.Fprintf(t, "  %s\t%s\t%s\n", i.Platform, name, strings.Join(i.Images, ", "))
	}
	fmt.Fprintln(t)
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
