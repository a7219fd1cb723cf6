package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/release"
)

// addRebuild adds the flag of commands that run the builders of Dockerfiles.
func (f *flags) addRebuild(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.rebuild, "rebuild", false,
		"let the builders of Dockerfiles (dockerfile.builder) run although nothing has changed")
}

// stage returns the RunE of a command that runs a single stage, which reads the product, and locks
// the store and the output directory, which must not have a release of another product.
func (f *flags) stage(run func(context.Context, *release.Stage) (table, error)) func(*cobra.Command, []string) error {
	return f.prints(func(cmd *cobra.Command, _ []string) (result table, err error) {
		p, pr, err := f.begin(cmd)
		if err != nil {
			return nil, err
		}
		st, leave, err := f.open(cmd.Context(), pr)
		if err != nil {
			return nil, err
		}
		defer leave()
		unlock, err := release.Hold(cmd.Context(), f.out, pr)
		if err != nil {
			return nil, err
		}
		defer unlock()
		if err := release.CheckOut(f.out, p.Name, nil); err != nil {
			return nil, err
		}
		err = st.Mend(cmd.Context(), pr, func() (err error) {
			s := &release.Stage{Product: p, Store: st, Out: f.out, Channel: f.channel, Progress: pr, Rebuild: f.rebuild}
			result, err = run(cmd.Context(), s)
			return err
		})
		return result, err
	})
}

func newStage(f *flags) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "stage",
		Short: "Run one stage of a release",
		Long: `A release runs these stages one after the other, and then "slipway airgap pack". Each reads what
the one before it wrote.`,
	})
	cmd.AddCommand(newBuild(f), newPublish(f), newRender(f))
	return cmd
}

func newBuild(f *flags) *cobra.Command {
	return add(&cobra.Command{
		Use:   "build",
		Short: "Build the images into the store",
		Long: `Build compiles the programs, makes the images in the store, and writes their digests to
release.build.json. The images have no names in a registry yet; "slipway stage publish" gives them
theirs. Build needs Go.`,
		Example: `  slipway stage build
  slipway stage build -platforms=linux/amd64,windows/amd64:ltsc2022
  slipway stage build -images=controller,webhook -q`,
		RunE: f.stage(func(ctx context.Context, s *release.Stage) (table, error) { return s.Build(ctx) }),
	}, f.addProduct, f.addSelection, f.addClones, f.addRebuild, f.addJSON)
}

func newPublish(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "publish",
		Short: "Push the images that were built, and the charts",
		Long: `Publish pushes the images in release.build.json to the registry, or to the embedded registry
if none is named. Publish finds the third-party images of the manifests and of images.txt,
fetches them, and writes release.lock.json. With
-platforms or -images it writes release.part.json instead, for "slipway merge". Nothing that
the registry has is sent again. Helm charts are made and pushed once the images have their names,
and are written to the output directory. A tag that already refers to another digest is an error.
Credentials come from the usual Docker configuration.

The referrers of prebuilt images, such as signatures, are sent, too. If a registry refuses one,
publish stops: -referrers=try reports refused referrers and goes on, and -referrers=none sends
none.`,
		Example: `  slipway stage publish
  slipway stage publish -registry=ghcr.io/me/kpack`,
		RunE: f.stage(func(ctx context.Context, s *release.Stage) (table, error) { return s.Publish(ctx) }),
	}
	return add(cmd, f.addProduct, f.addSelection, f.addFloating, f.addReferrers, f.addJSON)
}

func newRender(f *flags) *cobra.Command {
	var destination string
	cmd := &cobra.Command{
		Use:   "render",
		Short: "Write release.yaml, every image pinned by digest",
		Long: `Render evaluates the product's ytt templates and writes release.yaml. Render fails if the result
breaks a rule of lint that is an error: for example, if a reference is not pinned, an image
named for Windows has no Windows platform, or a pod selects no operating system.

The images have their names at the first registry of the release. With -destination they have
those at another one, and the file is release.REGISTRY.yaml.`,
		Example: `  slipway stage render
  slipway stage render -destination=ghcr.io/me`,
		RunE: f.stage(func(ctx context.Context, s *release.Stage) (table, error) {
			path, err := s.Render(ctx, destination)
			return line(path), err
		}),
	}
	cmd.Flags().StringVar(&destination, "destination",
		"", "a registry of the release, host[/prefix], or a selected destination by its name (default the first)")
	return add(cmd, f.addProduct)
}
