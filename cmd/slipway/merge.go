package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/shard"
	"github.com/slipway-dev/slipway/shard/handoff"
)

func newMerge(f *flags) *cobra.Command {
	var binary bool
	var sign signing
	var join joining
	cmd := &cobra.Command{
		Use:   "merge [PART ...]",
		Short: "Join the parts that several machines built to one release",
		Long: `Merge joins the parts of a release, which several machines built and pushed with "slipway
release -platforms" or -images. It makes and tags the index of each image and fetches what the
store lacks from the registry. It then continues as release does: release.yaml, bundles,
checksums. The parts must make up the complete product and have the same registry as
-registry. Artifacts are copied from the directories of the parts. Parts are not signed; merge
signs all of it with -key or -signer. What one part or merge has proven with -repository is
proven for the release.

With -plan, the parts are those of the shards of a plan in a registry, which brings slipway.yaml
and the sources along, and -wait is how long to wait for them. -push puts the files of the release
there, too, for "slipway fetch". docs/kubernetes.md tells more.`,
		Example: `  slipway release -registry=ghcr.io/me/kpack -platforms=linux   -out=dist-linux
  slipway release -registry=ghcr.io/me/kpack -platforms=windows -out=dist-windows
  slipway merge   -registry=ghcr.io/me/kpack dist-linux/release.part.json dist-windows/release.part.json
  slipway merge   -plan=ghcr.io/me/kpack-plans@sha256:… -wait=2h -push`,
		Args: usage(cobra.ArbitraryArgs),
		RunE: f.prints(func(cmd *cobra.Command, paths []string) (table, error) {
			return f.merge(cmd, paths, join, &sign, binary)
		}),
	}
	cmd.Flags().BoolVar(&binary, "binary", true, "write the slipway binary for operators to bin/ of the output directory")
	return add(cmd, f.addProduct, f.addFloating, f.addClones, f.addJSON, sign.add, join.add)
}

// merge joins parts to a release.
func (f *flags) merge(cmd *cobra.Command, paths []string, join joining, sign *signing, binary bool) (table, error) {
	if err := join.check(cmd, paths); err != nil {
		return nil, err
	}
	done, err := f.adopt(cmd, join.plan, "merge")
	if err != nil {
		return nil, err
	}
	defer done()
	o, err := sign.options(cmd, release.Options{Out: f.out, Store: f.storeDir(), IncludeBinary: binary})
	if err != nil {
		return nil, err
	}
	f.made = append(f.made, shard.PartPaths(paths, ".", filepath.Dir(f.product))...)
	p, pr, err := f.begin(cmd)
	if err != nil {
		return nil, err
	}
	parts, dirs, err := f.parts(cmd, join, paths)
	if err != nil {
		return nil, err
	}
	o.Progress, o.ArtifactDirs = pr, dirs
	summary, err := release.Merge(cmd.Context(), p, parts, o)
	pr.Close()
	if err != nil {
		return nil, err
	}
	if join.push {
		var key *signature.PublicKey
		if o.Signer != nil {
			key = o.Signer.Public
		}
		err := f.withPlan(cmd, join.plan, func(p *handoff.Plan) error { return p.PushFiles(cmd.Context(), f.out, key) })
		if err != nil {
			return nil, err
		}
	}
	return summary, nil
}

// joining says which parts are joined.
type joining struct {
	plan string
	wait time.Duration
	push bool
}

func (j *joining) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&j.plan, "plan", "", "a plan in a registry, as slipway plan -push printed it: join the parts of its shards")
	cmd.Flags().DurationVar(&j.wait, "wait", 0, "how long to wait for shards of -plan that are not made yet, such as 2h")
	cmd.Flags().BoolVar(&j.push, "push", false, "put the files of the release next to -plan, for slipway fetch")
}

func (j *joining) check(cmd *cobra.Command, paths []string) error {
	switch {
	case j.plan == "" && len(paths) == 0:
		return misuse(cmd, "it needs a PART, or -plan")
	case j.plan != "" && len(paths) > 0:
		return usageError{errors.New("-plan: the parts come from the registry: name none")}
	case j.plan != "" && !handoff.IsReference(j.plan):
		return usageError{fmt.Errorf("-plan=%s is not a plan in a registry: name what slipway plan -push printed, or the parts of shards", j.plan)}
	case j.plan == "" && (j.wait != 0 || j.push):
		return usageError{errors.New("-wait and -push are for a plan in a registry: give -plan, too")}
	}
	return nil
}

// parts reads the parts from their files, or from the registry of the plan.
func (f *flags) parts(cmd *cobra.Command, j joining, paths []string) (parts []*lock.Part, dirs []string, err error) {
	if j.plan != "" {
		err := f.withPlan(cmd, j.plan, func(p *handoff.Plan) (err error) {
			parts, dirs, err = p.Parts(cmd.Context(), f.work.Parts(), j.wait, interval)
			return err
		})
		return parts, dirs, err
	}
	for _, path := range paths {
		part, err := lock.ReadPart(path)
		if err != nil {
			return nil, nil, err
		}
		parts, dirs = append(parts, part), append(dirs, filepath.Dir(path))
	}
	return parts, dirs, nil
}
