package release

import (
	"fmt"
	"io"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/report/changes"
)

// WriteTable writes the plan for people. Its first line is that of the release.
func (p *Plan) WriteTable(w io.Writer) error {
	output.Fprintf(w, "%s\n", p.title)
	for _, write := range []func(io.Writer) error{
		p.writeImages, p.writeNames, p.writePrograms, p.writeChanges, p.writeThirdParty, p.writeFiles,
		p.writeCredentials, p.writeWarnings, p.writeBefore,
	} {
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) writeImages(w io.Writer) error {
	t := output.NewTable(w, "\nIMAGE\tPLATFORM\tBASE")
	for _, i := range p.Images {
		name := i.Name
		for _, on := range i.Platforms {
			platform := on.Platform.String()
			if len(on.ExtraOS) > 0 {
				platform += " (" + strings.Join(on.ExtraOS, " + ") + ")"
			}
			t.Row("%s\t%s\t%s", name, platform, on.origin())
			for _, b := range on.CopiedFrom {
				t.Row("\t\tfiles of %s", changes.BaseText(&b))
			}
			name = ""
		}
	}
	return t.Flush()
}

// origin returns the base of an image for a platform, or the builder of the image.
func (on PlannedPlatform) origin() string {
	switch t := on.Prebuilt; {
	case t == nil && on.Builder != "":
		return "built by " + on.Builder
	case t == nil:
		return changes.BaseText(on.Base)
	case t.Digest == (v1.Hash{}):
		return "taken as it is from " + t.From
	default:
		return fmt.Sprintf("taken as it is from %s: %s, %s", t.From, t.Digest, progress.Size(t.Bytes))
	}
}

// writeNames lists the names. A part of a release gives none.
func (p *Plan) writeNames(w io.Writer) error {
	if len(p.Selected) > 0 {
		_, err := fmt.Fprintf(w,
			"\nOnly %v is selected: manifests are pushed by digest, and slipway merge gives the names.\n", p.Selected)
		return err
	}
	t := output.NewTable(w, "\nNAME\tSTATE")
	for _, n := range p.Names {
		t.Row("%s\t%s", n.Reference, stateText(n, p.Lock))
	}
	return t.Flush()
}

// stateText describes the state of a name.
func stateText(n publish.Name, lockPath string) string {
	switch n.State {
	case publish.Local:
		return "in the store only"
	case publish.There:
		if n.Same {
			return "exists, as in " + lockPath + ": " + n.Digest.String()
		}
		if n.Taken {
			return "exists, as it is taken: " + n.Digest.String()
		}
		if n.Kind == publish.FloatingTag {
			return "exists, with the version tag: " + n.Digest.String()
		}
		return "there, as " + n.Digest.String() + ": the release must be the same"
	case publish.Moves:
		versions := ""
		if n.From != "" {
			versions = ", " + n.From + " → " + n.To
		}
		return "would move from " + n.Digest.String() + versions + ": " + n.Reason
	case publish.Stays:
		return "stays: " + n.Reason
	case publish.Refused:
		return "refused: it is " + n.Digest.String() + ", and " + n.Reason
	case publish.Unknown:
		return "unknown: " + n.Reason
	case publish.New:
		return "new"
	}
	return string(n.State)
}

func (p *Plan) writePrograms(w io.Writer) error {
	t := output.NewTable(w, "\nPROGRAM\tPLATFORM\tTO COMPILE")
	for _, g := range p.Programs {
		text := map[program.State]string{
			program.Kept: "no", program.Compare: "if changed", program.Compile: "yes",
			there: "never", download: "never, but to download",
		}[g.State]
		t.Row("%s\t%s\t%s: %s", g.Name, g.Platform, text, g.Reason)
	}
	return t.Flush()
}

func (p *Plan) writeChanges(w io.Writer) error {
	switch {
	case p.Lock == "":
		return nil
	case len(p.Changes) == 0:
		_, err := output.Fprintf(w, "\nSources, bases, versions and Go are those of %s.\n", p.Lock)
		return err
	}
	return writeList(w, "CHANGED SINCE "+p.Lock, p.Changes)
}

func (p *Plan) writeThirdParty(w io.Writer) error {
	t := output.NewTable(w, "\nTHIRD-PARTY IMAGE\tSTATE")
	for _, i := range p.ThirdParty {
		state := "to be fetched"
		switch {
		case i.Omitted != "":
			state = "omitted: " + i.Omitted
		case i.Stored:
			state = "in the store"
		}
		if !i.Pinned {
			state += ", not pinned"
		}
		t.Row("%s\t%s", i.Reference, state)
	}
	return t.Flush()
}

func (p *Plan) writeFiles(w io.Writer) error {
	t := output.NewTable(w, "\nFILE\tWHAT IT IS")
	for _, b := range p.Bundles {
		t.Row("%s\t%s", b.File, b.text())
	}
	for _, c := range p.Charts {
		t.Row("%s\tchart %s", c.File, c.Name)
	}
	for _, a := range p.Artifacts {
		t.Row("%s\tartifact", a)
	}
	return t.Flush()
}

// text describes a bundle.
func (b PlannedBundle) text() string {
	of := "bundle for "
	if b.ListOnly {
		of = "list of images for "
	}
	if b.Platform.IsZero() {
		of += "all platforms"
	} else {
		of += b.Platform.String()
	}
	if len(b.Groups) == 0 {
		return of
	}
	of += fmt.Sprintf(" of group %s: %d images", strings.Join(b.Groups, " and "), b.Images)
	if b.AddsTo != "" {
		of += fmt.Sprintf(", %d more than %s has", b.Adds, b.AddsTo)
	}
	if b.Sparse {
		of += ", without its layers"
	}
	return of
}

func (p *Plan) writeCredentials(w io.Writer) error {
	t := output.NewTable(w, "\nREGISTRY\tUSE\tCREDENTIALS")
	for _, c := range p.Credentials {
		t.Row("%s\t%s\t%s", c.Registry, c.Use, c.Source)
	}
	return t.Flush()
}

func (p *Plan) writeWarnings(w io.Writer) error {
	if len(p.Warnings) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	for _, line := range p.Warnings {
		output.Fprintf(w, "%s\n", line)
	}
	return nil
}

func (p *Plan) writeBefore(w io.Writer) error {
	if len(p.BeforeRelease) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nA release to a registry also requires:")
	for _, line := range p.BeforeRelease {
		output.Fprintf(w, "  %s\n", line)
	}
	return nil
}
