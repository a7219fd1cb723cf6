package release

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/sandbox"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Summary describes a finished release.
type Summary struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// VersionSource is where Version comes from.
	VersionSource product.VersionSource `json:"versionSource"`
	Channel       string                `json:"channel,omitempty"`
	Registry      string                `json:"registry"`
	Copies        []string              `json:"copies,omitempty"` // the other registries
	Snapshot      bool                  `json:"snapshot"`
	Selected      []string              `json:"selected,omitempty"`
	Images        []Image               `json:"images"`
	Charts        []Chart               `json:"charts,omitempty"`
	// FloatingTags are those of all images and charts, in all registries, with what became of them.
	FloatingTags []FloatingTag `json:"floatingTags,omitempty"`
	Omitted      []Omitted     `json:"omitted,omitempty"`
	// MissingBuilds are the Windows builds that third-party images lack.
	MissingBuilds []airgap.MissingBuild `json:"missingBuilds,omitempty"`
	// Prebuilt are the programs that the release contains and did not compile.
	Prebuilt []lock.Prebuilt `json:"prebuilt,omitempty"`
	// Sandbox is what the compiler was run in, if the sources came with a plan in a registry.
	Sandbox *sandbox.Protection `json:"sandbox,omitempty"`

	Out   string `json:"out"`
	Files []File `json:"files"`
	// Stubs lists the stubs that a snapshot has in place of images that only registries have.
	Stubs []Stub `json:"stubs,omitempty"`
	// BeforeRelease lists what a release to a registry requires and this snapshot did not.
	BeforeRelease []string `json:"beforeRelease,omitempty"`
}

// Stub is an image that a snapshot made up.
type Stub struct {
	Name     string            `json:"name"` // of the image that it replaces
	Platform platform.Platform `json:"platform"`
	Images   []string          `json:"images"` // images of the product that use it
}

// Image is a row of the table.
type Image struct {
	Name      string   `json:"name"`
	Reference string   `json:"reference,omitempty"` // repository@digest
	Names     []string `json:"names,omitempty"`     // repository:tag, all of them, in all registries
	Platforms []string `json:"platforms"`
	// Size is the bytes of all layers. A layer that children share counts once per child.
	Size   int64  `json:"size"`
	Digest string `json:"digest,omitempty"`
	// Manifests are the digests of the manifests of Platforms in a part of a release, which has
	// neither Reference, Names nor Digest: merge gives images those.
	Manifests []string `json:"manifests,omitempty"`
}

// Omitted is an image that a snapshot or a bundle does not include.
type Omitted struct {
	Image  string `json:"image"`
	From   string `json:"from"` // "the release", or a bundle's name
	Reason string `json:"reason"`
}

// File is a file in dist/.
type File struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

func summarize(out string, l *lock.Lock, demands []string, bundles []bundle.File, names []string) (*Summary, error) {
	s := &Summary{Name: l.Name, Version: l.Version, Registry: l.Registry, Copies: l.Copies, Snapshot: l.Snapshot, Out: out, Stubs: stubs(l), Prebuilt: l.Prebuilt, MissingBuilds: airgap.MissingBuilds(l), BeforeRelease: demands}
	absent := map[string]bool{} // omitted by the release, and so by every bundle
	for _, i := range l.Images {
		line := Image{Name: i.Name, Digest: i.Digest.String(), Reference: i.Reference(), Names: i.References()}
		for _, c := range i.Children {
			p := c.Platform.String()
			if len(c.ExtraOS) > 0 {
				p += " (" + strings.Join(c.ExtraOS, " + ") + ")"
			}
			line.Platforms = append(line.Platforms, p)
			line.Size += c.LayerBytes
		}
		s.Images = append(s.Images, line)
	}
	for _, i := range l.Published() {
		s.FloatingTags = append(s.FloatingTags, floating(i)...)
	}
	for _, c := range l.Charts {
		s.Charts = append(s.Charts, newChart(c))
	}
	for _, t := range l.ThirdParty {
		if t.Omitted != "" {
			s.Omitted = append(s.Omitted, Omitted{Image: t.Reference, From: "the release", Reason: t.Omitted})
			absent[t.Reference] = true
		}
	}
	for _, b := range bundles {
		for _, left := range b.Contents.Omitted {
			if absent[left.Name] {
				continue
			}
			s.Omitted = append(s.Omitted, Omitted{Image: left.Name, From: filepath.Base(b.Path), Reason: left.Reason})
		}
	}
	for _, n := range names {
		fi, err := os.Stat(filepath.Join(out, filepath.FromSlash(n)))
		if err != nil {
			return nil, err
		}
		s.Files = append(s.Files, File{Name: n, Size: fi.Size()})
	}
	return s, nil
}

// summarizePart summarizes a part of a release: its manifests are in the registries by digest, without
// indexes and tags.
func summarizePart(out string, l *lock.Lock, demands, selected, names []string) (*Summary, error) {
	s, err := summarize(out, l, demands, nil, names)
	if err != nil {
		return nil, err
	}
	s.Selected = selected
	s.FloatingTags = nil
	for n, i := range l.Images {
		line := &s.Images[n]
		line.Reference, line.Names, line.Digest = "", nil, ""
		for _, c := range i.Children {
			line.Manifests = append(line.Manifests, c.Digest.String())
		}
	}
	return s, nil
}

// stubs lists the stub bases of a lock.
func stubs(l *lock.Lock) []Stub {
	var all []Stub
	for _, i := range l.Images {
		for _, c := range i.Children {
			for _, name := range c.Stubs() {
				n := slices.IndexFunc(all, func(s Stub) bool { return s.Name == name && s.Platform == c.Platform })
				if n < 0 {
					n, all = len(all), append(all, Stub{Name: name, Platform: c.Platform})
				}
				all[n].Images = append(all[n].Images, i.Name)
			}
		}
	}
	return all
}

// WriteTable writes the summary for people: the images, what was omitted, and the files. Its
// first and last lines report if the release is a snapshot.
func (s *Summary) WriteTable(w io.Writer) error {
	for _, write := range []func(io.Writer) error{
		s.writeStubs, s.writeImages, s.writeCharts, s.writeFloating, s.writeOmitted, s.writeMissingBuilds, s.writePrebuilt, s.writeFiles, s.writeBefore,
	} {
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}

func (s *Summary) writeMissingBuilds(w io.Writer) error {
	return airgap.WriteMissingBuilds(w, s.MissingBuilds)
}

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
