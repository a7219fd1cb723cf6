package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
)

func newPush(f *flags) *cobra.Command {
	p := &pushing{flags: f}
	cmd := &cobra.Command{
		Use:   "push BUNDLE ...",
		Short: "Push bundles to a private registry",
		Long: `Push sends all images of bundles to a registry. Digests stay the same. Several bundles, such
as volumes, are pushed as one. A delta can be pushed if the registry has the images of its
base. The host of each name is replaced by -to and the path is kept: registry.k8s.io/pause
becomes registry.internal/mirror/pause. Nothing that the registry has is sent again.
Credentials are those of docker login, podman login or a credential helper.

Helm charts follow the images. Their values get the new names of the images, so that they have
another digest than in the bundle; an annotation names the original, which is pushed by digest.

With -release, push then writes a copy of release.yaml in which all references to the images
have their new names, and the renamed charts next to it. First, push checks that the images can be
pulled by these names.

Floating tags, such as latest, move last of all, and to a newer version only, unless -floating
says otherwise.

The signatures, SBOMs and other artifacts that refer to the images go along. A registry that
refuses one of them stops the push: -referrers=try reports what it refuses and goes on, and
-referrers=none sends none. Sigstore bundles and signatures of the product's own images, which
may be evidence of its release, are sent and must be taken in any case.

With -key, push first verifies that the maintainer has signed every image, and release.yaml. A
volume of third-party images alone needs the provenance.sigstore.json of the release besides.

The bundle of a snapshot, which a release without -registry made, is refused without -snapshot.

With -platforms, push sends only the manifests of these platforms. The indexes are then
sparse, which many registries refuse.`,
		Example: `  slipway airgap push dist/kpack-images.tar.zst -to=registry.internal/mirror
  slipway airgap push dist/kpack-images.tar.zst -to=registry.internal/mirror \
      -ca-file=ca.pem -release=dist/release.yaml -release-to=release.internal.yaml`,
		RunE: f.prints(p.run),
	}
	cmd.Flags().StringVar(&p.o.To, "to", "", "target registry, host[/prefix]")
	copyFlags(cmd, &p.o.Release, &p.o.Out, "")
	cmd.Flags().BoolVar(&p.o.Snapshot, "snapshot", false,
		"push the bundle of a snapshot, too: its tags are then taken when the release comes")
	needs(cmd, "release", "release-to")
	return add(cmd, f.addFloating, f.addReferrers, f.addPlatforms, f.addQuiet, f.addJSON, p.proof.add)
}

// pushing has the flags of the command.
type pushing struct {
	flags *flags
	o     airgap.PushOptions
	proof proof
}

func (p *pushing) run(cmd *cobra.Command, args []string) (table, error) {
	if p.o.To == "" {
		return nil, misuse(cmd, "-to is missing: name the registry, as in -to=registry.internal/mirror")
	}
	if err := swapped(cmd, args, p.o.To); err != nil {
		return nil, err
	}
	p.o.Platforms, p.o.Floating = p.flags.platforms, p.flags.floating
	p.o.Registry, p.o.Referrers = p.flags.network(cmd), p.flags.referrers
	signed, paths := evidence.SplitStatements(args)
	err := p.proof.read(slices.Concat(args, []string{p.o.Release})...)
	if len(paths) == 0 { // only statements
		err = errors.Join(misuse(cmd, "no bundle is named"), err)
	}
	if err != nil {
		return nil, err
	}
	bundles, closeAll, err := bundle.OpenAll(paths)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	r, err := p.proof.verify(p.flags.progress, evidence.FromBundles(paths, bundles), signed...)
	if err == nil && r != nil && p.o.Release != "" {
		err = r.CheckFile(p.o.Release)
	}
	if err != nil {
		return nil, err
	}
	done, err := airgap.Push(cmd.Context(), bundles, p.o)
	return pushed{done, r}, err
}

// pushed is the printed result of a push.
type pushed struct {
	*airgap.Pushed

	Evidence *evidence.Report `json:"evidence,omitempty"` // with -key
}
