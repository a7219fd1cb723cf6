package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/release"
)

func newRender(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "render",
		Short: "Write release.yaml, every image pinned by digest",
		Long: `Render evaluates the product's ytt templates and writes release.yaml. It fails if the result
breaks a rule of lint that is an error: for example, if a reference is not pinned, an image
named for Windows has no Windows platform, or a pod selects no operating system.`,
		Example: "  slipway render\n  slipway render -out=/tmp/kpack",
		Args:    usage(cobra.NoArgs),
		RunE: f.stage(func(cmd *cobra.Command, s stage) error {
			l, err := s.published()
			if err != nil {
				return err
			}
			text, err := release.Render(cmd.Context(), s.product, l, nil)
			if err != nil {
				return err
			}
			path := filepath.Join(f.out, release.Manifest)
			if err := disk.Write(path, text, disk.ModeFile); err != nil {
				return fmt.Errorf("writing %s: %w", path, err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		}),
	}
	f.addProduct(cmd)
	return cmd
}
