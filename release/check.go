package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/render"
	"github.com/slipway-dev/slipway/render/renderer"
	"github.com/slipway-dev/slipway/store"
)

// Check reports what would stop a release of p, as far as that is certain without a compiler and
// without layers. For a release to a registry it reads the documents of bases, of prebuilt and of
// third-party images; for a snapshot it asks no registry.
//
// Check reports all mistakes in sources, programs, Dockerfiles, the rendered manifest and by the
// rules. The store next to slipway.yaml is only read, and nothing stays on the disk but Go modules
// that the module cache lacked. The result is valid with an error, too.
func Check(ctx context.Context, p *product.Product) (Checked, error) {
	ask := !p.Snapshot()
	c, done, err := scratchCheck(ctx, p, Options{}.places(p).Store, ask)
	if err != nil {
		return Checked{}, err
	}
	defer done()
	if _, err := c.thirdParty(ctx, ask, network.Options{}); err != nil {
		c.err = errors.Join(c.err, err)
	}
	return Checked{BeforeRelease: c.demands, Warnings: c.warnings.All()}, c.err
}

// Checked is what a check finds besides mistakes.
type Checked struct {
	// BeforeRelease lists what a release to a registry requires and a snapshot does not.
	BeforeRelease []string `json:"beforeRelease,omitempty"`
	// Warnings are those that a release prints: what may be a mistake or cannot be checked.
	Warnings []string `json:"warnings,omitempty"`
}

// checked is the result of a check, for the stages after it.
type checked struct {
	product *product.Product // with the third-party images that manifests name, if known
	known   bool             // whether these are known
	demands []string         // requirements of a release to a registry that this snapshot lacks
}

// rehearse renders the manifests of a product and checks its images at the same time, and returns
// all mistakes. images checks the images, and rendered is called with the product that the
// manifests complete. Without memory nothing is rendered.
func rehearse(ctx context.Context, in assemble.Input, memory *render.Memory, w *progress.Warnings,
	images func() (*assemble.Found, error), rendered func(*product.Product),
) (c checked, err error) {
	p := in.Product
	c.product = p
	var ofManifests progress.Warnings
	var manifest error
	var required []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		if memory != nil {
			var complete *product.Product
			complete, required, manifest = rehearseManifests(ctx, p, in.Trees, memory, &ofManifests)
			if c.known = complete != nil; c.known {
				c.product = complete
			}
		}
		rendered(c.product)
	}()
	found, err := images()
	<-done
	for _, line := range append(ofManifests.All(), found.Warnings...) {
		w.Add(line)
	}
	if ctx.Err() != nil {
		return c, context.Cause(ctx)
	}
	c.demands = beforeRelease(p, c.product, append(found.Demands, required...))
	return c, errors.Join(err, manifest)
}

// scratch is the result of a check in a store of its own, which the check has made and removes.
type scratch struct {
	checked

	input  assemble.Input
	found  *assemble.Found
	store  *store.Store // in a directory of its own; reads what the product's has
	memory render.Memory
	err    error // what would stop a release

	warnings progress.Warnings
}

// scratchCheck does what [Check] does, except for third-party images, in a store of its own that
// reads through to the store at behind. Without ask no registry is asked. done removes the store.
func scratchCheck(ctx context.Context, p *product.Product, behind string, ask bool) (
	c *scratch, done func(), err error,
) {
	dir, err := disk.Scratch("")
	if err != nil {
		return nil, nil, fmt.Errorf("making a directory: %w", err)
	}
	remove := func() { os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			remove()
		}
	}()
	c = &scratch{}
	if c.store, err = store.Open(dir); err != nil {
		return nil, nil, err
	}
	if err := c.store.ReadThrough(behind); err != nil {
		return nil, nil, err
	}
	ctx = renderer.Keep(ctx, c.store)
	c.input = assemble.Fetch(ctx, p, assemble.Options{Store: c.store})
	c.checked, c.err = rehearse(ctx, c.input, &c.memory, &c.warnings, func() (_ *assemble.Found, err error) {
		check := assemble.Input.CheckOffline
		if ask {
			check = assemble.Input.Check
		}
		c.found, err = check(c.input, ctx)
		return c.found, err
	}, func(*product.Product) {})
	found, err := judgeDocuments(c.product, c.found.Documents())
	c.warn(found)
	c.err = errors.Join(c.err, err)
	if ctx.Err() != nil {
		return nil, nil, c.err
	}
	if c.err != nil {
		c.demands = nil
	}
	return c, remove, nil
}

// thirdParty judges third-party images by their documents: see [publish.ReadThirdParty].
func (c *scratch) thirdParty(ctx context.Context, ask bool, o network.Options) ([]publish.Party, error) {
	list, err := publish.ReadThirdParty(ctx, c.product, c.store, ask, o)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	found, wrong := judgeThirdParty(c.checked, list, ownOnly(c.product, c.input.Trees))
	c.warn(found)
	return list, errors.Join(err, wrong)
}

func (c *scratch) warn(found []lint.Finding) {
	for _, f := range found {
		c.warnings.Add("warning: " + f.String())
	}
}

// check is the first stage of a release, and reports every mistake that can be found before
// anything is compiled. With a registry, check also looks up bases and asks for the right to push.
// Of a shard only the inputs are compared with the plan, whose manifests were checked.
func (c *run) check(ctx context.Context) (found checked, ready *assemble.Ready, err error) {
	p, s, memory := c.described, c.options.Shard, &render.Memory{}
	if s != nil {
		if err := s.same(p); err != nil {
			return found, nil, err
		}
		memory = nil
	}
	in := c.input(ctx)
	var parties []publish.Party
	var reach error
	found, err = rehearse(ctx, in, memory, &c.warnings, func() (_ *assemble.Found, err error) {
		ready, err = in.Prepare(ctx)
		return ready.Found, err
	}, func(complete *product.Product) {
		parties, reach = publish.CheckAccess(ctx, complete, c.store, c.network())
	})
	if ctx.Err() != nil {
		return found, nil, err
	}
	_, taken := judgeDocuments(found.product, ready.Documents()) // judgeImages reports the other findings
	_, wrong := judgeThirdParty(found, parties, ownOnly(found.product, in.Trees))
	if err := errors.Join(err, reach, taken, wrong); err != nil || s == nil {
		return found, ready, err
	}
	return found, ready, s.compare(ctx, ready)
}

// input fetches the sources of the release.
func (c *run) input(ctx context.Context) assemble.Input {
	o := assemble.Options{Store: c.store, Progress: c.options.Progress, Rebuild: c.options.Rebuild}
	return assemble.Fetch(ctx, c.described, o)
}

// placeholder returns the lock that publish would make, with made-up digests. Of third-party
// images it has only what p states.
func placeholder(p *product.Product, trees map[string]source.Tree) *lock.Lock {
	l := ownOnly(p, trees)
	for _, t := range p.Airgap.Images {
		party := lock.ThirdParty{
			Reference: t.Text, From: t.From, OS: t.OS, Groups: t.Groups, Listed: t.Listed,
			Omitted: cmp.Or(t.Omitted, "it is not looked at yet"),
		}
		if _, pinned := t.Reference.(name.Digest); !pinned && t.Omitted == "" &&
			p.FetchesFrom(t.Reference.Context().RegistryStr()) {
			party.Digest = assemble.PlaceholderDigest(t.Text) // publish looks it up
		}
		l.ThirdParty = append(l.ThirdParty, party)
	}
	return l
}

// ownOnly returns the lock that publish would make, with made-up digests and without third-party
// images.
func ownOnly(p *product.Product, trees map[string]source.Tree) *lock.Lock {
	l := assemble.Placeholder(p, trees)
	publish.Names(p, l)
	return l
}

// hide replaces the made-up digests in an error, so that no user copies them.
func hide(err error, l *lock.Lock) error {
	if err == nil {
		return nil
	}
	var all []error
	for _, e := range output.Split(err) {
		all = append(all, errors.New(hidden(l).Replace(e.Error())))
	}
	return errors.Join(all...)
}

// hidden replaces the made-up digests of a lock.
func hidden(l *lock.Lock) *strings.Replacer {
	var pairs []string
	for _, i := range l.Images {
		pairs = append(pairs, i.Digest.String(), "sha256:…")
		for _, c := range i.Children {
			pairs = append(pairs, c.Digest.String(), "sha256:…")
		}
	}
	for _, t := range l.ThirdParty {
		if t.Digest.Hex != "" {
			pairs = append(pairs, t.Digest.String(), "sha256:…")
		}
	}
	return strings.NewReplacer(pairs...)
}

// beforeRelease returns what a release to a registry requires and a snapshot does not. complete
// is p with the images that manifests name.
func beforeRelease(p, complete *product.Product, demands []string) []string {
	if !p.Snapshot() {
		return nil
	}
	for _, t := range complete.Airgap.Images[:len(p.Airgap.Images)] {
		if _, ok := t.Reference.(name.Digest); !ok {
			demands = append(demands,
				fmt.Sprintf("%s: %s is not pinned: a release packs what "+
					"the tag refers to on that day; run %s to pin it", t.Pos, t.Text, howto.Run("pin")))
		}
	}
	return product.Once(demands)
}
