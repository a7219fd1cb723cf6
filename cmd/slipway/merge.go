package main

import (
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/shard"
	"github.com/slipway-dev/slipway/shard/handoff"
)

func newMerge(f *flags) *cobra.Command {
	m := &merging{flags: f}
	return add(&cobra.Command{
		Use:   "merge [PART ...]",
		Short: "Join the parts that several machines built to one release",
		Long: `Merge joins the parts of a release, which several machines built and pushed with "slipway
release -platforms" or -images. Merge makes and tags the index of each image, fetches missing
blobs from the registry, and then continues as release does: release.yaml, bundles,
checksums. The parts must make up the complete product and have the same registry as
-registry. Artifacts are copied from the directories of the parts. Parts are not signed; merge
signs all of it with -sign or -signer. What one part or merge has proven with -repository is
proven for the release.

With -plan, the parts are those of the shards of a plan in a registry, which brings slipway.yaml
and the sources along. Each PART is then what "slipway release -plan" printed of a shard,
REPOSITORY@sha256:…. Without any, merge takes the parts that it finds next to the plan, and -wait
is how long to wait for them: whoever may push to the registry may have made those, so merge does
not sign them. -push puts the files of the release next to the plan, too, for "slipway shard
fetch".
See docs/kubernetes.md.`,
		Example: `  slipway release -registry=ghcr.io/me/kpack -platforms=linux   -out=dist-linux
  slipway release -registry=ghcr.io/me/kpack -platforms=windows -out=dist-windows
  slipway merge   -registry=ghcr.io/me/kpack \
      dist-linux/release.part.json dist-windows/release.part.json
  slipway merge   -plan=ghcr.io/me/kpack-plans@sha256:… -wait=2h -push
  slipway merge   -plan=ghcr.io/me/kpack-plans@sha256:… -sign=release.key \
      ghcr.io/me/kpack-plans@sha256:… …`,
		RunE: f.prints(m.run),
	}, f.addProduct, f.addFloating, f.addClones, f.addJSON, m.sign.add, m.add)
}

// merging has the flags of the command.
type merging struct {
	flags *flags
	sign  signing
	plan  string
	wait  time.Duration
	push  bool
}

// run joins parts to a release.
func (m *merging) run(cmd *cobra.Command, paths []string) (table, error) {
	f := m.flags
	if err := m.check(cmd, paths); err != nil {
		return nil, err
	}
	done, err := f.adopt(cmd, m.plan, "merge")
	if err != nil {
		return nil, err
	}
	defer done()
	o, err := m.sign.options(cmd, f)
	if err != nil {
		return nil, err
	}
	if m.plan == "" {
		f.made = append(f.made, shard.PartPaths(paths, ".", filepath.Dir(f.product))...)
	}
	p, pr, err := f.begin(cmd)
	if err != nil {
		return nil, err
	}
	parts, dirs, err := m.parts(cmd, paths)
	if err != nil {
		return nil, err
	}
	o.Progress, o.ArtifactDirs = pr, dirs
	summary, err := release.Merge(cmd.Context(), p, parts, o)
	pr.Close()
	if err != nil {
		return nil, err
	}
	if m.push {
		var key *signature.PublicKey
		if o.Signer != nil {
			key = o.Signer.Public
		}
		err := f.withPlan(cmd, m.plan, func(p *handoff.Plan) error { return p.PushFiles(cmd.Context(), f.out, key) })
		if err != nil {
			return nil, err
		}
	}
	return summary, nil
}

func (m *merging) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.plan,
		"plan", "", "plan of shards, in a registry, as slipway plan -push printed it: join PART, or all parts that "+
			"are next to the plan")
	cmd.Flags().DurationVar(&m.wait,
		"wait", 0, "how long to wait for shards of -plan that are not made yet, such as 2h")
	cmd.Flags().BoolVar(&m.push, "push", false, "put into the registry, next to -plan: the files of the release, "+
		"for slipway shard fetch")
	needs(cmd, "plan", "wait", "push")
}

func (m *merging) check(cmd *cobra.Command, paths []string) error {
	switch {
	case m.plan == "" && len(paths) == 0:
		return misuse(cmd, "merge takes PART, or -plan: got none")
	case m.plan != "" && !handoff.IsReference(m.plan):
		return howto.Usage("-plan=%s is not a plan in a registry: "+
			"name what slipway plan -push printed, or the parts of shards", m.plan)
	case m.plan != "" && len(paths) == 0 && m.sign.key+m.sign.signer != "":
		return howto.Usage("-plan: whoever may push to the registry may have made the parts next to the plan, " +
			"and they would be signed: name each PART, as its shard printed it, or omit -sign and -signer")
	case m.plan != "" && len(paths) > 0 && m.wait != 0:
		return howto.Usage("-wait is for parts that are not named: each PART is there already")
	}
	return nil
}

// parts reads the parts from their files, or from the registry of the plan.
func (m *merging) parts(cmd *cobra.Command, paths []string) (parts []*lock.Part, dirs []string, err error) {
	if m.plan != "" {
		err := m.flags.withPlan(cmd, m.plan, func(p *handoff.Plan) (err error) {
			if len(paths) > 0 {
				parts, dirs, err = p.GivenParts(cmd.Context(), m.flags.work.Parts(), paths)
				return err
			}
			parts, dirs, err = p.Parts(cmd.Context(), m.flags.work.Parts(), m.wait, interval)
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
