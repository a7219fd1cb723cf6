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
// It checks sources, programs, Dockerfiles, the rendered manifest and the rules, and reports all
// mistakes. Check leaves nothing on the disk, except Go modules that the
// module cache lacked. It finds what the store beside slipway.yaml has, if there is one. What it
// has found is there beside an error, too.
func Check(ctx context.Context, p *product.Product) (Checked, error) {
	ask := !p.Snapshot()
	c, done, err := checkAside(ctx, p, Options{}.places(p).Store, ask)
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

// checked is what a check leaves to the stages after it.
type checked struct {
	product *product.Product  // with the third-party images that manifests name, if known
	known   bool              // whether these are known
	builder *assemble.Builder // has looked at what the release is made from
	demands []string          // what a release to a registry requires and this snapshot does not
}

// rehearsal is a check before the builder has looked at anything.
type rehearsal struct {
	checked

	trees    map[string]source.Tree // without those that could not be fetched
	missing  error                  // why they could not
	memory   *render.Memory         // nil renders nothing
	warnings *progress.Warnings
}

// newRehearsal fetches the sources of p, and makes a builder of them.
func newRehearsal(
	ctx context.Context, p *product.Product, st *store.Store, memory *render.Memory, w *progress.Warnings,
) *rehearsal {
	r := &rehearsal{checked: checked{product: p}, memory: memory, warnings: w}
	r.trees, r.missing = assemble.Sources(ctx, p)
	r.builder = assemble.New(p, r.trees, st, w.Printer)
	return r
}

// check renders the manifests of p and checks what is built for it at the same time, and returns
// all mistakes. rendered is called between, with the product that the manifests complete.
func (r *rehearsal) check(ctx context.Context, p *product.Product, rendered func(*product.Product)) error {
	var ofManifests, ofImages progress.Warnings // in an order that does not depend on who is first
	var manifest error
	var required []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		if r.memory != nil {
			var complete *product.Product
			complete, required, manifest = rehearse(ctx, p, r.trees, r.memory, &ofManifests)
			if r.known = complete != nil; r.known {
				r.product = complete
			}
		}
		rendered(r.product)
	}()
	r.builder.WarnIn(&ofImages)
	demands, err := r.builder.Check(ctx)
	<-done
	for _, line := range append(ofManifests.All(), ofImages.All()...) {
		r.warnings.Add(line)
	}
	r.builder.Complete(r.product)
	r.builder.WarnIn(r.warnings)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.demands = beforeRelease(p, r.product, append(demands, required...))
	return errors.Join(r.missing, err, manifest)
}

// aside is what a check has found that leaves the product's store as it is.
type aside struct {
	*rehearsal

	store  *store.Store // in a directory of its own; reads what the product's has
	memory render.Memory
	err    error // what would stop a release

	warnings progress.Warnings
}

// checkAside does what [Check] does, but for third-party images. It finds what the store at behind
// has, as the release that follows, and writes elsewhere. Without ask it asks no registry. done
// removes what is on the disk.
func checkAside(ctx context.Context, p *product.Product, behind string, ask bool) (
	c *aside, done func(), err error,
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
	c = &aside{}
	if c.store, err = store.Open(dir); err != nil {
		return nil, nil, err
	}
	if err := c.store.ReadThrough(behind); err != nil {
		return nil, nil, err
	}
	ctx = renderer.Keep(ctx, c.store)
	c.rehearsal = newRehearsal(ctx, p, c.store, &c.memory, &c.warnings)
	if !ask {
		c.builder.Offline()
	}
	c.err = c.check(ctx, p, func(*product.Product) {})
	found, err := judgeDocuments(c.product, c.builder.Documents())
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

// thirdParty judges third-party images by their documents: see [publish.LookAtThirdParty].
func (c *aside) thirdParty(ctx context.Context, ask bool, o network.Options) ([]publish.Party, error) {
	list, err := publish.LookAtThirdParty(ctx, c.product, c.store, ask, o)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	found, wrong := judgeThirdParty(c.checked, list, ownOnly(c.product, c.trees))
	c.warn(found)
	return list, errors.Join(err, wrong)
}

func (c *aside) warn(found []lint.Finding) {
	for _, f := range found {
		c.warnings.Add("warning: " + f.String())
	}
}

// check is the first stage of a release. It reports every mistake that can be found before
// anything is compiled. With a registry, it also looks up bases and checks whether it may push.
// The manifests of a shard were checked when its plan was made, with which the rest is compared.
func (c *run) check(ctx context.Context) (checked, error) {
	p, s, memory := c.described, c.options.Shard, &render.Memory{}
	if s != nil {
		if err := s.same(p); err != nil {
			return checked{}, err
		}
		memory = nil
	}
	r := newRehearsal(ctx, p, c.store, memory, &c.warnings)
	r.builder.Keep()
	if c.options.Rebuild {
		r.builder.Rebuild()
	}
	var parties []publish.Party
	var reach error
	err := r.check(ctx, p, func(complete *product.Product) {
		parties, reach = publish.Reach(ctx, complete, c.store, c.network())
	})
	if ctx.Err() != nil {
		return checked{}, err
	}
	_, taken := judgeDocuments(r.product, r.builder.Documents()) // judgeImages has what is no error
	err = errors.Join(err, reach, taken)
	_, wrong := judgeThirdParty(r.checked, parties, ownOnly(r.product, r.trees))
	if err := errors.Join(err, wrong); err != nil || s == nil {
		return r.checked, err
	}
	return r.checked, s.compare(ctx, r.builder)
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
