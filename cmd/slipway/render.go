package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/release"
)

func newRender(f *flags) *cobra.Command {
	var destination string
	cmd := &cobra.Command{
		Use:   "render",
		Short: "Write release.yaml, every image pinned by digest",
		Long: `Render evaluates the product's ytt templates and writes release.yaml. It fails if the result
breaks a rule of lint that is an error: for example, if a reference is not pinned, an image
named for Windows has no Windows platform, or a pod selects no operating system.

The images have their names at the first registry of the release. With -destination they have
those at another one, and the file is release.REGISTRY.yaml.`,
		Example: "  slipway render\n  slipway render -out=/tmp/kpack\n  slipway render -destination=ghcr.io/me",
		Args:    usage(cobra.NoArgs),
		RunE: f.stage(func(cmd *cobra.Command, s *release.Stage) (table, error) {
			path, err := s.Render(cmd.Context(), destination)
			return line(path), err
		}),
	}
	cmd.Flags().StringVar(&destination, "destination", "", "a registry of the release, host[/prefix], or a selected destination by its name (default the first)")
	return add(cmd, f.addProduct)
}
