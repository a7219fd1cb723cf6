package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish/promote"
)

func newPromote(f *flags) *cobra.Command {
	p := &promoting{flags: f}
	cmd := &cobra.Command{
		Use:   "promote [LOCK|BUNDLE]",
		Short: "Copy a release from one registry to others, by digest",
		Long: `Promote copies the images of a release, with their referrers (signatures, SBOMs), from the
registry that it was published to, or from a bundle, to other registries. Digests stay the same.
Neither the sources nor slipway.yaml are needed. Without an argument it reads release.lock.json in
the output directory. Third-party images are not copied.

First it checks everything: that the source has all images by their digests, that nodes would
choose rightly from their indexes (the rules of slipway audit), that no tag at a destination names
another digest, and that the manifest is right under the new names. Then it sends what a
destination lacks: blobs, manifests, tags. Floating tags move last, and only forward. A promotion
that was interrupted continues where it was.

Helm charts follow the images. With -rename, their values get the new names of the images, and so
they get new digests; otherwise they keep their digests, and name the images at the source.
-charts=rename and -charts=keep decide it in any case.

In each name, -to replaces -from; -rename changes the path behind it, of one repository or of all
below a path. A copy of release.yaml with the new names is written next to it.

Where a destination refuses a referrer, the promotion stops: -referrers=try reports what it
refuses and goes on, and -referrers=none sends none. Sigstore bundles and signatures of the
images, which may be evidence of the release, are sent and must be taken in any case.

With -key, promote also verifies first that the maintainer has signed every image, by what the
source has of evidence, and release.yaml.

With -images-yaml, promote adds the release to the file that Kubernetes' image promoter reads
(kpromo), and prints what reviewers of the pull request are shown: each image's digest, and its
manifests. Without -to it does only that.`,
		Example: `  slipway promote -to=ghcr.io/me
  slipway promote dist/release.lock.json -from=staging.example/kpack \
      -to=ghcr.io/me,quay.io/me -rename=kpack/build-init=build-init
  slipway promote \
      -images-yaml=k8s.io/registry.k8s.io/images/k8s-staging-sig-storage/images.yaml`,
		RunE: f.prints(p.run),
	}
	cmd.Flags().StringVar(&p.o.From, "from", "",
		"host[/prefix] to copy from (default the primary registry of the lock, or the host of the bundle's names)")
	cmd.Flags().StringSliceVar(&p.o.To, "to", nil, "target registry, host[/prefix]; may be repeated")
	cmd.Flags().StringSliceVar(&p.renames, "rename",
		nil, "OLD=NEW: another path for the repository OLD, or for all below it; may be repeated")
	cmd.Flags().StringVar(&p.o.Charts, "charts",
		"", "names of images in Helm charts: keep or rename (default rename with -rename, or else keep)")
	copyFlags(cmd, &p.o.Release, &p.o.Out, " (default the one next to the lock, if it exists)")
	fileFlag(cmd, &p.o.ImagesYAML, "images-yaml", "", "kpromo's file to add the release to", "yaml", "yml")
	fileFlag(cmd, &f.product, "product", "",
		"the product's description, whose lint.allow is used for images and release.yaml", "yaml", "yml")
	f.addOut(cmd)
	add(cmd, p.proof.add, f.addFloating, f.addReferrers, f.addQuiet, f.addJSON)
	needs(cmd, "to", "key", "rename", "charts", "release", "release-to", "product", "floating", "referrers")
	return cmd
}

// promoting has the command's flags.
type promoting struct {
	flags   *flags
	o       promote.Options
	renames []string
	proof   proof
}

func (p *promoting) run(cmd *cobra.Command, args []string) (table, error) {
	if err := swapped(cmd, args, p.o.To...); err != nil {
		return nil, err
	}
	path := filepath.Join(p.flags.out, lock.Name)
	if len(args) > 0 {
		path = args[0]
		if err := idle(cmd, "with "+path+", which is named: leave it out", "out"); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(p.options(cmd), p.proof.read(path, p.o.Release)); err != nil {
		return nil, err
	}
	if p.o.ImagesYAML != "" && !strings.HasSuffix(path, ".json") {
		return nil, misuse(cmd, "-images-yaml takes names from a lock: name the release.lock.json")
	}
	p.o.Policy = p.proof.policy
	return promote.File(cmd.Context(), path, p.o)
}

// options completes the options by the flags.
func (p *promoting) options(cmd *cobra.Command) (err error) {
	if len(p.o.To) == 0 && p.o.ImagesYAML == "" {
		return misuse(cmd, "-to is missing: name the registry to promote to, as in -to=ghcr.io/me")
	}
	for _, s := range p.renames {
		r, err := promote.ParseRename(s)
		if err != nil {
			return howto.Usage("%w", err)
		}
		p.o.Renames = append(p.o.Renames, r)
	}
	p.o.Floating, p.o.Referrers, p.o.Say = p.flags.floating, p.flags.referrers, saying(cmd)
	p.o.Registry = p.flags.network(cmd)
	p.o.Allow, err = p.flags.allowed(cmd)
	return err
}
