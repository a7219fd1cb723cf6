package release

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/report/changes"
	"github.com/slipway-dev/slipway/store"
)

// Plan describes what a release would do. Lists keep the order of slipway.yaml; equal inputs and
// registries give equal plans.
type Plan struct {
	Name          string                `json:"name"`
	Version       string                `json:"version"`
	VersionSource product.VersionSource `json:"versionSource"`
	Channel       string                `json:"channel,omitempty"`
	Snapshot      bool                  `json:"snapshot"`
	// of the primary destination; for a snapshot that of its names
	Registry string         `json:"registry"`
	Copies   []string       `json:"copies,omitempty"`   // the other registries
	Selected []string       `json:"selected,omitempty"` // by -platforms or -images
	Images   []PlannedImage `json:"images"`
	Charts   []PlannedChart `json:"charts,omitempty"`
	// Names are all names at all destinations. A part of a release, which has Selected, gives
	// none: merge does.
	Names    []publish.Name   `json:"names"`
	Programs []PlannedProgram `json:"programs"`
	// Lock is the lock of the last release in the output directory; "" if there is none.
	Lock       string          `json:"lock,omitempty"`
	Changes    []changes.Input `json:"changes"` // since Lock
	ThirdParty []publish.Party `json:"thirdParty"`
	Bundles    []PlannedBundle `json:"bundles"`
	Artifacts  []string        `json:"artifacts"` // files for download
	// Credentials are those that the release would use, by their source.
	Credentials []Credential `json:"credentials"`
	// Refused are the reasons why the release would fail, a text for each.
	Refused []string `json:"refused"`
	// BeforeRelease lists what a release to a registry requires and this snapshot does not.
	BeforeRelease []string `json:"beforeRelease,omitempty"`
	// Warnings are those that the release would print.
	Warnings []string `json:"warnings,omitempty"`

	title  string
	outage bool // among the reasons in Refused
}

// PlannedImage is an image with what it is built on.
type PlannedImage struct {
	Name      string            `json:"name"`
	Kind      string            `json:"kind"`
	Version   string            `json:"version"`
	Platforms []PlannedPlatform `json:"platforms"`
}

// PlannedPlatform is an image for one platform.
type PlannedPlatform struct {
	Platform platform.Platform `json:"platform"`
	// ExtraOS lists all operating systems of a manifest that has files for several.
	ExtraOS []string `json:"extraOS,omitempty"`
	// Base has the digest that bases.lock.yaml or slipway.yaml pins, which may be that of an
	// index; nil for an image from scratch.
	Base       *lock.Base  `json:"base,omitempty"`
	CopiedFrom []lock.Base `json:"copiedFrom,omitempty"`
	// Prebuilt is the image of another builder, which the release takes unchanged.
	Prebuilt *assemble.Taken `json:"prebuilt,omitempty"`
	// Builder is the builder that the release runs for the platform; "" if it runs none.
	Builder string `json:"builder,omitempty"`
}

// PlannedChart is a Helm chart that the release publishes.
type PlannedChart struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	File    string `json:"file"` // in the output directory
}

// MakePlan finds out what a release of p would do, without building anything and without writing
// anything to the store, the output directory or a registry. Only Go modules that the module cache
// lacks are downloaded, as by [Check]. MakePlan waits for no lock: of a release that runs at the
// same time, it reads the finished files. The plan lists the reasons why the release would fail; an
// error means that MakePlan has not made a plan.
func MakePlan(ctx context.Context, p *product.Product, o Options) (*Plan, error) {
	pl, done, err := newPlanner(ctx, p, o)
	if err != nil {
		return nil, err
	}
	defer done()
	o = o.places(p)
	pl.images()
	pl.files()
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return pl.since(ctx, filepath.Join(o.Out, lock.Name)) },
		pl.programs, pl.charts, pl.publish, pl.thirdParty, pl.credentials,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return &pl.Plan, nil
}

// newPlanner checks p. done removes the temporary store.
func newPlanner(ctx context.Context, p *product.Product, o Options) (pl *planner, done func(), err error) {
	o = o.places(p)
	c, done, err := scratchCheck(ctx, p, o.Store, true)
	if err != nil {
		return nil, nil, err
	}
	pl = &planner{
		Plan: newPlan(p), product: c.product, found: c, store: c.store,
		names: placeholder(c.product, c.input.Trees), outlines: c.found.Outlines(),
	}
	if st, err := store.Existing(o.Store); err == nil {
		pl.store = st
	}
	pl.network = network.Options{Progress: o.Progress, Attempts: 2, Idle: 20 * time.Second}
	pl.refuse(c.err)
	pl.compiled = c.found.Programs
	pl.BeforeRelease, pl.Warnings = c.demands, c.warnings.All()
	pl.Registry, pl.Copies = pl.names.Registry, pl.names.Copies
	return pl, done, nil
}

// newPlan returns a plan with empty lists, for JSON.
func newPlan(p *product.Product) Plan {
	return Plan{
		Name: p.Name, Version: p.Version, VersionSource: p.VersionSource, Channel: p.Channel, Snapshot: p.Snapshot(),
		Selected: p.Selected,
		Images:   []PlannedImage{}, Names: []publish.Name{}, Programs: []PlannedProgram{}, Changes: []changes.Input{},
		ThirdParty: []publish.Party{},
		Bundles:    []PlannedBundle{}, Artifacts: []string{}, Credentials: []Credential{}, Refused: []string{},
		title: p.Title(),
	}
}

// planner makes a plan.
type planner struct {
	Plan

	product  *product.Product
	found    *scratch
	compiled []program.Program // what the images and artifacts need
	store    *store.Store      // to be read only; an empty one if there is none
	names    *lock.Lock        // with made-up digests
	made     []*chart.Artifact // the charts of names
	outlines []assemble.Outline
	old      *lock.Lock // of the last release; nil if there is none
	network  network.Options
}

// refuse adds each error of a joined one to what stops the release, once.
func (pl *planner) refuse(err error) {
	pl.outage = pl.outage || outcome.Failed(err)
	for _, e := range output.Split(err) {
		if line := howto.Remedied(network.Cause(e)); !slices.Contains(pl.Refused, line) {
			pl.Refused = append(pl.Refused, line)
		}
	}
}

// unasked are the reasons of a plan for which not everything could be asked ([outcome.Failed]).
type unasked []error

// Outage marks the error as one of a server.
func (unasked) Outage() {}

func (u unasked) Error() string   { return errors.Join(u...).Error() }
func (u unasked) Unwrap() []error { return u }

// Err returns an error with a line for each reason why the release cannot go; nil if it can. Where
// a server failed, it is one of [outcome.Failed].
func (p *Plan) Err() error {
	var all []error
	for _, line := range p.Refused {
		all = append(all, errors.New(line))
	}
	if p.outage {
		return unasked(all)
	}
	return errors.Join(all...)
}

func (pl *planner) images() {
	for n, i := range pl.product.Images {
		row := PlannedImage{Name: i.Name, Kind: i.Kind, Version: i.Version, Platforms: []PlannedPlatform{}}
		for k, on := range pl.outlines[n].On {
			row.Platforms = append(row.Platforms, PlannedPlatform{
				Platform: on.Platform, ExtraOS: pl.names.Images[n].Children[k].ExtraOS, Base: on.Base,
				CopiedFrom: on.CopiedFrom, Prebuilt: on.Prebuilt, Builder: on.Builder,
			})
		}
		pl.Images = append(pl.Images, row)
	}
}

// publish lists the names with their states.
func (pl *planner) publish(ctx context.Context) error {
	if len(pl.Selected) > 0 {
		return nil
	}
	var expected []publish.Expected
	for n, i := range pl.product.Images {
		e := publish.Expected{Annotations: pl.outlines[n].Annotations}
		e.Stamp = imagetag.Stamp{Version: i.Version, Created: pl.names.Created}
		if t, err := time.Parse(time.RFC3339, e.Annotations["org.opencontainers.image.created"]); err == nil {
			e.Stamp.Created = t
		}
		if pl.sameInputs() {
			e.Digests = digests(pl.old, i.Name)
		}
		for _, on := range pl.outlines[n].On {
			if on.Prebuilt == nil && on.Builder == "" {
				continue
			}
			t := publish.Taken{Platform: on.Platform}
			if on.Prebuilt != nil {
				t.Digest = on.Prebuilt.Digest
			}
			e.Taken = append(e.Taken, t)
		}
		expected = append(expected, e)
	}
	expected = append(expected, pl.expectedCharts()...)
	names, err := publish.Preview(ctx, pl.product, pl.names, expected, pl.network)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	pl.Names = append(pl.Names, names...)
	pl.refuse(err)
	for _, n := range names {
		if n.State == publish.Refused {
			pl.refuse(fmt.Errorf("%s is %s already, and this release is another: "+
				"%s: raise the version, or delete the tag if it is not in use", n.Reference, n.Digest, n.Reason))
		}
	}
	return nil
}

// sameInputs reports whether the last release had the same inputs, as far as its lock states.
func (pl *planner) sameInputs() bool {
	uncommitted := func(s lock.Source) bool { return strings.HasSuffix(s.Revision, "-dirty") }
	return pl.old != nil && len(pl.Changes) == 0 && !slices.ContainsFunc(pl.names.Sources, uncommitted)
}

// digests returns the digests that the tags of an image have in a lock.
func digests(l *lock.Lock, name string) map[string]v1.Hash {
	i, ok := l.Image(name)
	if !ok {
		return nil
	}
	all := map[string]v1.Hash{"": i.Digest}
	for _, t := range i.PlatformTags {
		all[t.Tag] = t.Digest
	}
	return all
}

func (pl *planner) thirdParty(ctx context.Context) error {
	list, err := pl.found.thirdParty(ctx, true, pl.network)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	pl.refuse(err)
	pl.ThirdParty = append(pl.ThirdParty, list...)
	pl.Warnings = pl.found.warnings.All()
	return nil
}
