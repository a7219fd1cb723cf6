// Package release makes a complete release by running every stage in order.
//
// [Release] checks the product, builds and publishes its images, renders release.yaml, packs
// bundles and writes SHA256SUMS last: a directory with that file is a complete release. [Merge]
// does the same from parts that several machines published, [Check] only looks for mistakes, and
// [MakePlan] reports what a release would do.
package release

import (
	"context"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/render"
	"github.com/slipway-dev/slipway/render/renderer"
	"github.com/slipway-dev/slipway/shard"
)

// Manifest is the rendered manifest's name in dist/.
const Manifest = distfile.Manifest

// Options configure a release.
type Options struct {
	Out           string            // the directory for the release; "" is dist
	Store         string            // the store; "" is .slipway in the directory of slipway.yaml
	IncludeBinary bool              // write a static linux/amd64 slipway to bin/
	Progress      *progress.Printer // nil is quiet
	// ArtifactDirs lists the directories of the parts, where [Merge] finds the artifacts that
	// other machines made.
	ArtifactDirs []string
	// Signer signs the release; nil does not. Builder is the URI of the builder that the statement
	// names; "" is the owner of the key.
	Signer  *signature.Signer
	Builder string
	// Rebuild lets builders of Dockerfiles run even if their images are current.
	Rebuild bool
	// Shard makes a shard of a plan, of a product that is restricted to it.
	Shard *Shard
}

// Shard is a shard of a plan.
type Shard struct {
	Plan   *shard.Plan
	Path   string // of the plan's file, for messages
	Number int
}

// Release checks p, then builds, publishes, renders and packs it and writes the checksums. Current
// programs and images are not rebuilt. If a blob in the store turns out to be damaged, Release
// repairs the store and starts again. With platforms or images selected Release ends after publish,
// because the other stages need a complete release.
func Release(ctx context.Context, p *product.Product, o Options) (*Summary, error) {
	return mend(ctx, p, o, (*run).all)
}

// mend begins a release and calls f. If the store had to be repaired, it calls f once more.
func mend(ctx context.Context, p *product.Product,
	o Options, f func(*run, context.Context) (*Summary, error),
) (s *Summary, err error) {
	if err := refuseSigning(p, o); err != nil {
		return nil, err
	}
	c, end, err := begin(ctx, p, o)
	if err != nil {
		return nil, err
	}
	defer end()
	ctx = renderer.Keep(ctx, c.store)
	err = c.store.Mend(ctx, o.Progress, func() (err error) {
		s, err = f(c, ctx)
		return err
	})
	if err == nil {
		s.VersionSource, s.Channel = p.VersionSource, p.Channel
	}
	return s, err
}

// network returns the options of connections to registries.
func (c *run) network() network.Options { return network.Options{Progress: c.options.Progress} }

// made has the inputs of the images of a release, here or on the machines of its parts.
type made struct {
	checked

	baseline  *assemble.Baseline
	materials []lock.Material
	times     *times.Weights // of compilers and linkers; nil if nothing was built here
}

// all runs every stage in order.
func (c *run) all(ctx context.Context) (*Summary, error) {
	c.stage("checking")
	found, ready, err := c.check(ctx)
	if err != nil {
		return nil, err
	}
	operators, stop := c.operators(ctx)
	defer stop()

	c.stage("building images")
	built, err := ready.Images(ctx, &c.warnings)
	if err != nil {
		return nil, err
	}
	m := made{found, ready.Baseline, built.Materials, built.Times}
	if len(m.product.Selected) > 0 {
		return c.part(ctx, m, built.Result)
	}
	c.stage("third-party images and indexes")
	prepared, err := publish.Prepare(ctx, m.product, c.store, built.Result, c.network())
	if err != nil {
		return nil, err
	}
	return c.publish(ctx, m, prepared, operators)
}

// publish runs the stages after the images: it renders and checks release.yaml and the charts,
// pushes everything, packs bundles and writes slipway for operators, writes the checksums, and
// moves the floating tags.
func (c *run) publish(ctx context.Context, m made, prepared *publish.Prepared, operators install) (*Summary, error) {
	l, targets := prepared.Lock, Targets(m.product.Airgap)
	publish.Group(m.product, l)
	c.stage("rendering and checking manifests")
	manifest, charts, err := rendered(ctx, m.product, l, c.options.Progress, c.warnings.Add)
	if err != nil {
		return nil, err
	}
	if err := c.complete(ctx, prepared, charts); err != nil {
		return nil, err
	}
	findings, err := judgeImages(ctx, m.product, c.store, l)
	if err != nil {
		return nil, err
	}
	if err := airgap.Check(c.store, l, targets, airgap.PackOptions{First: m.product.Airgap.FirstImage}); err != nil {
		return nil, err
	}
	c.stage("bills of materials and evidence")
	bills, err := c.bills(ctx, l, prepared.Inventory)
	if err != nil {
		return nil, err
	}
	proof, err := c.prove(ctx, m, l, manifest, bills)
	if err != nil {
		return nil, err
	}
	c.stage("pushing")
	if proof.signed != nil {
		if err := prepared.Attach(proof.referrers); err != nil {
			return nil, err
		}
	}
	if err := prepared.Push(ctx); err != nil {
		return nil, err
	}
	c.stage("packing bundles")
	packed, err := c.pack(ctx, m.product, l, targets, operators)
	if err != nil {
		return nil, err
	}
	c.stage("writing files and checksums")
	s, err := c.finish(ctx, result{m, l, manifest, bills, proof, packed})
	if err != nil {
		return nil, err
	}
	s.Findings, s.OmittedReferrers = findings, prepared.Omitted
	c.stage("floating tags") // last: a registry may refuse them, and all else is complete
	return s, publish.Move(ctx, c.store, l, c.network())
}

// complete adds the charts to the release, and brings everything that bundles and signatures need
// into the store.
func (c *run) complete(ctx context.Context, prepared *publish.Prepared, charts []render.Chart) error {
	if err := AddCharts(prepared, charts); err != nil {
		return err
	}
	if err := prepared.Complete(ctx); err != nil || c.options.Signer == nil {
		return err
	}
	if err := refuseStubs(prepared.Lock.Images); err != nil {
		return err
	}
	return prepared.Referrers(ctx)
}

// packed has the bundles of a release, and slipway for operators.
type packed struct {
	bundles []bundle.File
	lists   []string        // names of lists without an archive
	scripts []airgap.Script // that load the bundles on nodes
	program v1.Hash         // of slipway for operators; zero if the release does not include it
}

// pack packs the bundles of a lock and writes slipway for operators at the same time.
func (c *run) pack(ctx context.Context, p *product.Product, l *lock.Lock, targets []airgap.Target, operators install,
) (made packed, err error) {
	if err := Claim(c.options.Out, l.Name, Files(l)); err != nil {
		return made, err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) { made.program, err = operators(ctx); return err })
	g.Go(func() (err error) {
		made.bundles, made.lists, err = airgap.Pack(ctx, c.store, l, targets, airgap.PackOptions{
			Dir: c.out, First: p.Airgap.FirstImage, Gzip: p.Airgap.Gzip, Progress: c.options.Progress,
		})
		if err == nil {
			made.scripts, err = airgap.Scripts(l.Name, l.Version, targets, made.bundles)
		}
		return err
	})
	err = g.Wait()
	return made, err
}

// part publishes the selected part of a release and writes release.part.json.
func (c *run) part(ctx context.Context, m made, built *built.Result) (*Summary, error) {
	if err := m.baseline.Unchanged(ctx); err != nil {
		return nil, err
	}
	part, omitted, err := publish.PublishPart(ctx, m.product, c.store, built, c.network())
	if err != nil {
		return nil, err
	}
	if s := c.options.Shard; s != nil {
		if part.Shard, err = s.Plan.Part(s.Number); err != nil {
			return nil, err
		}
	}
	l, err := part.Local()
	if err != nil {
		return nil, err
	}
	findings, err := judgeImages(ctx, m.product, c.store, l)
	if err != nil {
		return nil, err
	}
	if err := Claim(c.options.Out, part.Name, PartFiles(part)); err != nil {
		return nil, err
	}
	if err := c.writeArtifacts(ctx, l); err != nil {
		return nil, err
	}
	if err := c.writeWeights(m.times); err != nil {
		return nil, err
	}
	if err := part.Write(filepath.Join(c.out, lock.PartName)); err != nil {
		return nil, err
	}
	if err := Supersede(c.out, lock.PartName); err != nil {
		return nil, err
	}
	if err := Settle(c.options.Out, part.Name); err != nil {
		return nil, err
	}
	c.options.Progress.Printf("only %v was selected: stopping before render; %s joins all parts and goes on from there",
		part.Selected, howto.Run("merge"))
	s, err := summarizePart(c.options.Out, l, m.demands, part.Selected,
		append(artifactNames(l.Artifacts), lock.PartName))
	if err == nil {
		s.Findings, s.OmittedReferrers = findings, omitted
	}
	return s, err
}
