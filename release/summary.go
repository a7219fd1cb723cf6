package release

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/sandbox"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry/transfer"
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
	// OmittedReferrers are those that a registry did not get, as product.Product.Referrers permits.
	OmittedReferrers []transfer.OmittedReferrer `json:"omittedReferrers,omitempty"`
	// Findings are warnings and notes about images.
	Findings []lint.Finding `json:"findings,omitempty"`
	// Prebuilt are the programs that the release contains and did not compile.
	Prebuilt []lock.Prebuilt `json:"prebuilt,omitempty"`
	// Taken lists the images that other builders made, a line for each platform.
	Taken []string `json:"taken,omitempty"`
	// Sandbox is what the compiler was run in, if the sources came with a plan in a registry.
	Sandbox *sandbox.Protection `json:"sandbox,omitempty"`
	// Part is the reference, by digest, of the part of a shard in the registry of its plan.
	Part string `json:"part,omitempty"`

	Out   string `json:"out"`
	Files []File `json:"files"`
	// Signed means that the files have signatures, which verify -key proves.
	Signed bool `json:"signed"`
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
	// Size is the bytes of all layers, and Sizes are those of each of Platforms. A layer that
	// children share counts once per child.
	Size   int64   `json:"size"`
	Sizes  []int64 `json:"sizes"`
	Digest string  `json:"digest,omitempty"`
	// Manifests are the digests of the manifests of Platforms in a part of a release, which has
	// neither Reference, Names nor Digest: merge gives images those.
	Manifests []string `json:"manifests,omitempty"`
}

// Chart is a row of the table of charts.
type Chart struct {
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Reference string   `json:"reference"` // repository@digest
	Names     []string `json:"names"`     // repository:tag, all of them, in all registries
	Digest    string   `json:"digest"`
	File      string   `json:"file"` // in dist/
}

func newChart(c lock.Chart) Chart {
	i := c.Image()
	return Chart{
		Name: c.Name, Version: c.Version, Reference: i.Reference(), Names: i.References(),
		Digest: c.Digest.String(), File: c.File.Name,
	}
}

// FloatingTag is a floating tag and what it named before the run.
type FloatingTag struct {
	lock.FloatingTag

	From v1.Hash `json:"from,omitzero"`

	here bool // it named the image already
}

// floating returns the rows of an image's floating tags.
func floating(i lock.Image) (all []FloatingTag) {
	for _, t := range i.FloatingTags {
		all = append(all, FloatingTag{t, t.From, t.From == i.Digest})
	}
	return all
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
	s := &Summary{
		Name: l.Name, Version: l.Version, Registry: l.Registry, Copies: l.Copies, Snapshot: l.Snapshot, Out: out,
		Stubs: stubs(l), Prebuilt: l.Prebuilt, BeforeRelease: demands,
		Signed: slices.Contains(names, distfile.SumsSignature),
	}
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
			line.Sizes = append(line.Sizes, c.LayerBytes)
			if t := c.Prebuilt; t != nil {
				s.Taken = append(s.Taken, fmt.Sprintf("image %s for %s, taken as it is from %s, %s",
					i.Name, c.Platform, cmp.Or(t.Builder, t.From), c.Digest))
			}
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

// summarizePart summarizes a part of a release: its manifests are in the registries by digest,
// without indexes and tags.
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
