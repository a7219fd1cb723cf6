package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/sandbox"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/shard"
	"github.com/slipway-dev/slipway/shard/handoff"
)

func newRelease(f *flags) *cobra.Command {
	r := &releasing{flags: f, sandbox: sandbox.Auto}
	return add(&cobra.Command{
		Use:   "release",
		Short: "Make a release: check, build, publish, render, airgap, checksums",
		Long: `Release first checks everything that can be checked without compiling, and reports all
mistakes at once. Then release runs every stage in order and fills the output directory:
release.yaml, release.lock.json, the bundles with their image lists, bills of materials, the
program for operators, provenance.json with the archive of inputs, and SHA256SUMS. Parts
that have not changed since the last run are not built, compressed or sent again. Files of an
earlier release of the product are removed, and other files stay; a name of the release that
another file has, or a release of another product, is an error.

With -platforms or -images, release builds and publishes only that selection, as a part of
the release, and renders and packs nothing. "slipway merge" joins the parts.

With -plan and -shard it makes one shard of a plan of "slipway plan -shards": docs/shards.md. A
plan in a registry brings slipway.yaml and the sources along: docs/kubernetes.md. Where the
machine permits it, the compiler of such a plan works in a sandbox: docs/trust.md.

With -sign or -signer it signs what it makes: a statement of everything that the release
consists of, and the SBOM of each image, as artifacts that refer to the images, and SHA256SUMS.
All of these are in the registry before any tag. See docs/signing.md.

The referrers of prebuilt images are sent, too. If a registry refuses one, the release stops:
-referrers=try reports refused referrers and goes on, and -referrers=none sends none.

Release needs Go to build programs, and credentials for -registry in the usual Docker
configuration.`,
		Example: `  slipway release
  slipway release -registry=ghcr.io/me/kpack -sign=release.key
  slipway release -plan=plan.json -shard=0 -out=part-0
  slipway release -product=examples/hello/slipway.yaml -out=/tmp/hello -json`,
		RunE: f.prints(r.run),
	}, sandboxFlag(&r.sandbox), f.addProduct, f.addFloating, f.addReferrers, f.addSelection, f.addClones,
		f.addRebuild, f.addJSON, r.sign.add, r.cache.add, r.add)
}

// releasing has the flags of the command. A plan and a number name a shard.
type releasing struct {
	flags   *flags
	sign    signing
	cache   buildCache
	sandbox sandbox.Mode
	plan    string
	number  int
}

// run makes a release, or a shard of one.
func (r *releasing) run(cmd *cobra.Command, _ []string) (table, error) {
	if err := r.cache.use(); err != nil {
		return nil, err
	}
	f := r.flags
	done, err := f.adopt(cmd, r.plan, fmt.Sprint("shard-", r.number))
	if err != nil {
		return nil, err
	}
	defer done()
	if err := f.checkSandbox(cmd); err != nil {
		return nil, err
	}
	o, err := r.sign.options(cmd, f)
	if err != nil {
		return nil, err
	}
	if o.Shard, err = r.readShard(cmd); err != nil {
		return nil, err
	}
	if f.work != nil {
		if err := f.work.Confine(cmd.Context(), r.sandbox); err != nil {
			return nil, err
		}
	}
	p, pr, err := f.begin(cmd)
	if err != nil {
		return nil, err
	}
	o.Progress, o.Rebuild = pr, f.rebuild
	if f.work != nil {
		pr.Printf("sandbox: %s", f.work.Rebuild.Sandbox.Protection())
	}
	summary, err := release.Release(cmd.Context(), p, o)
	pr.Close()
	if err != nil {
		return nil, err
	}
	if f.work != nil {
		summary.Sandbox = new(f.work.Rebuild.Sandbox.Protection())
		err := f.withPlan(cmd, r.plan, func(p *handoff.Plan) error {
			part, err := p.PushPart(cmd.Context(), r.number, f.out)
			summary.Part = part.String()
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return summary, nil
}

func (r *releasing) add(cmd *cobra.Command) {
	fileFlag(cmd, &r.plan, "plan", "", "plan of shards, of which -shard makes one", "json")
	cmd.Flags().IntVar(&r.number, "shard", 0, "the number of a shard of -plan, from 0")
	needs(cmd, "plan", "shard", "sandbox")
	needs(cmd, "shard", "plan")
	for _, other := range []string{"platforms", "images"} {
		cmd.MarkFlagsMutuallyExclusive("plan", other)
	}
}

// readShard reads the plan of a shard, if one is named.
func (r *releasing) readShard(cmd *cobra.Command) (*release.Shard, error) {
	f := r.flags
	if !cmd.Flags().Changed("plan") {
		return nil, nil
	}
	f.shard = &release.Shard{Path: r.plan, Number: r.number}
	if f.work != nil {
		f.shard.Plan = f.work.Plan
		return f.shard, nil
	}
	f.made = append(f.made, r.plan)
	var err error
	f.shard.Plan, err = shard.Read(r.plan)
	return f.shard, err
}

// sandboxFlag adds the flag of commands that compile what came from elsewhere.
func sandboxFlag(mode *sandbox.Mode) func(*cobra.Command) {
	return func(cmd *cobra.Command) {
		choose(cmd, mode, "sandbox", "compile without network and with no other files: "+
			"auto as far as this machine permits it, require or fail, off", sandbox.Auto, sandbox.Require, sandbox.Off)
	}
}

// checkSandbox reports a sandbox that was asked for where nothing came from elsewhere.
func (f *flags) checkSandbox(cmd *cobra.Command) error {
	if f.work == nil && cmd.Flags().Changed("sandbox") {
		return howto.Usage("-sandbox is for a plan in a registry, -plan=REF@sha256:…: " +
			"programs are compiled from this clone as you")
	}
	return nil
}
