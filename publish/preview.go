package publish

import (
	"cmp"
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// State is what a release will do with a name.
type State string

// The states of names.
const (
	New     State = "new"     // nothing has the name yet
	There   State = "there"   // it names an image already, which the release must equal
	Moves   State = "moves"   // a floating tag that names another image
	Stays   State = "stays"   // a floating tag that will be left where it is
	Refused State = "refused" // it names an image that cannot be of this release
	Unknown State = "unknown" // the registry could not be asked
	Local   State = "local"   // of a snapshot, in the store
)

// Kind is the kind of a name.
type Kind string

// The kinds of names.
const (
	Tag         Kind = "tag"
	PlatformTag Kind = "platformTag"
	FloatingTag Kind = "floatingTag"
)

// Name is a name that a release gives an image or a chart at one of its destinations.
type Name struct {
	Reference string              `json:"reference"`       // registry/repository:tag
	Image     string              `json:"image,omitempty"` // its name in slipway.yaml
	Chart     string              `json:"chart,omitempty"` // in place of Image, the name of a chart
	Registry  string              `json:"registry"`        // host[/prefix] of the destination
	Kind      Kind                `json:"kind"`
	Platforms []platform.Platform `json:"platforms,omitempty"` // of a platform tag
	State     State               `json:"state"`
	Digest    v1.Hash             `json:"digest,omitzero"` // what it names now
	// Same reports whether Digest is that of [Expected].Digests.
	Same bool `json:"same,omitempty"`
	// Taken reports whether Digest is that of another builder's image, which is taken as it is.
	Taken bool `json:"taken,omitempty"`
	// From is the version of what a floating tag names now, and To that of the image.
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Reason string `json:"reason,omitempty"` // of what stays, moves, or is refused or unknown
}

// Expected describes an image or a chart before it is built.
type Expected struct {
	// Annotations are those of its index, or of its only manifest.
	Annotations map[string]string
	Stamp       imagetag.Stamp
	// Digests are those of its tags in a release of the same inputs, if there was one: under ""
	// that of Tags, and those of platform tags.
	Digests map[string]v1.Hash
	// Taken are the images of other builders in it, which do not identify this release.
	Taken []Taken
}

// Taken is the image of another builder for a platform. Digest is that of its manifest, zero if
// it is not known yet.
type Taken struct {
	Platform platform.Platform
	Digest   v1.Hash
}

// Preview returns every name that publishing the images and charts of l gives, in the order of
// [lock.Release.Registries] for each, with its state. l has the names and the platforms of the
// images, but need not have digests; expected has an element per image and chart of it. Preview
// writes nothing to a registry and begins no upload. A registry that cannot be asked is an error;
// the names are returned all the same.
func Preview(ctx context.Context, p *product.Product, l *lock.Lock, expected []Expected,
	o network.Options,
) ([]Name, error) {
	var all []*asked
	for n, i := range l.Published() {
		for k, repository := range i.Repositories() {
			of := &place{image: i, expected: expected[n], registry: l.Registries()[k], repository: repository}
			all = append(all, of.names()...)
		}
	}
	var err error
	if !l.Snapshot {
		err = lookUp(ctx, transfer.New(o), p.Floating, all)
	}
	for _, a := range all {
		if a.Kind != FloatingTag {
			a.judge(l.Snapshot)
		}
	}
	for _, a := range all { // what a floating tag names may be what another tag names
		if a.Kind == FloatingTag {
			a.judgeFloating(l.Snapshot, p.Floating)
		}
	}
	names := make([]Name, len(all))
	for n, a := range all {
		names[n] = a.Name
	}
	return names, err
}

// place is an image at one destination.
type place struct {
	image                lock.Image
	expected             Expected
	registry, repository string
	digest               v1.Hash // of its Tags there, if they are there
}

// asked is a name and what its registry reports about it.
type asked struct {
	Name

	at       *place
	tag      string
	have     transfer.Current // zero if the tag does not exist
	document []byte           // of a tag that does not float
	failed   error
}

// names lists the names of the image at a destination.
func (at *place) names() []*asked {
	var all []*asked
	add := func(kind Kind, tag string, platforms []platform.Platform) {
		a := &asked{at: at, tag: tag, Name: Name{
			Reference: at.repository + ":" + tag, Image: at.image.Name, Registry: at.registry, Kind: kind,
			Platforms: platforms,
		}}
		if at.image.Kind == lock.KindChart {
			a.Image, a.Chart = "", a.Image
		}
		all = append(all, a)
	}
	for _, t := range at.image.Tags {
		add(Tag, t, nil)
	}
	for _, t := range at.image.PlatformTags {
		add(PlatformTag, t.Tag, t.Platforms)
	}
	for _, t := range at.image.FloatingTags {
		if t.Repository == at.repository {
			add(FloatingTag, t.Tag, nil)
		}
	}
	return all
}

// lookUp asks the registries for the names. A registry that does not answer is asked for one name
// only.
func lookUp(ctx context.Context, c *transfer.Client, rule string, all []*asked) error {
	var queries []query
	for _, a := range all {
		if a.Kind == FloatingTag && rule == imagetag.RuleKeep {
			continue
		}
		ref, err := name.NewTag(a.Reference)
		if err != nil {
			return err
		}
		queries = append(queries,
			query{ref.RegistryStr(), func(ctx context.Context) error { return a.ask(ctx, c, ref) }, &a.failed})
	}
	return queryAll(ctx, c, queries)
}

// ask asks the registry of a name for it, with the rights that publishing needs.
func (a *asked) ask(ctx context.Context, c *transfer.Client, ref name.Tag) error {
	repo := ref.Context()
	if _, err := c.Session(ctx, repo, repo.Scope(transport.PushScope), repo.Scope(transport.PullScope)); err != nil {
		return fmt.Errorf("looking at %s: %w", repo, network.Clean(err))
	}
	if a.Kind == FloatingTag {
		var err error
		a.have, err = c.Current(ctx, ref)
		return err
	}
	d, err := c.Get(ctx, ref)
	switch {
	case err == nil:
		a.have.Digest, a.document = d.Digest, d.Manifest
	case outcome.Of(err) != outcome.Absent:
		return fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
	}
	return nil
}

// judge decides the state of a tag that never moves.
func (a *asked) judge(snapshot bool) {
	a.Digest = a.have.Digest
	key := "" // of Tags
	if a.Kind == PlatformTag {
		key = a.tag
	}
	want := a.at.expected.Digests[key]
	switch {
	case snapshot:
		a.State = Local
	case a.failed != nil:
		a.State, a.Reason = Unknown, a.failed.Error()
	case a.Digest == (v1.Hash{}):
		a.State = New
	default:
		a.State, a.Same = There, a.Digest == want
		if a.Same {
			break
		}
		taken := a.taken()
		a.Taken = taken != nil && taken.Digest == a.Digest
		if a.Reason = a.conflict(); a.Reason != "" {
			a.State = Refused
		}
	}
	if a.Kind == Tag && a.State == There {
		a.at.digest = a.Digest
	}
}

// judgeFloating decides the state of a floating tag.
func (a *asked) judgeFloating(snapshot bool, rule string) {
	a.Digest, a.From, a.To = a.have.Digest, a.have.Version, a.at.expected.Stamp.Version
	want := transfer.Current{Digest: cmp.Or(a.at.digest, a.at.expected.Digests[""]), Stamp: a.at.expected.Stamp}
	moves, reason := transfer.Decide(rule, a.have, want)
	switch {
	case snapshot:
		a.State = Local
	case a.failed != nil:
		a.State, a.Reason = Unknown, a.failed.Error()
	case a.Digest != (v1.Hash{}) && a.Digest == want.Digest:
		a.State, a.Same = There, a.Digest == a.at.expected.Digests[""]
	case !moves:
		a.State, a.Reason = Stays, reason
	case a.Digest == (v1.Hash{}):
		a.State = New
	default:
		a.State, a.Reason = Moves, reason
	}
}
