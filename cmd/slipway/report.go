package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/report"
)

func newReport() *cobra.Command {
	var out, base string
	cmd := &cobra.Command{
		Use:   "report DIR|LOCK|BUNDLE",
		Short: "Make a page about a release",
		Long: `Report makes one HTML file about a release: its images by platform, names and tags, layers,
bundles, what it was made from, modules, and what lint finds. It needs nothing from elsewhere,
and is readable without JavaScript. What a lock or a bundle alone does not tell, the page says it
cannot know. With -base it compares the release with another one.

Equal releases have equal pages. Nothing is verified: "slipway airgap verify" does that.`,
		Example: `  slipway report dist
  slipway report dist -base=../0.16.0/dist -out=changes.html`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := report.Read(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			var old *report.Release
			if base != "" {
				if old, err = report.Read(cmd.Context(), base); err != nil {
					return err
				}
			}
			var page bytes.Buffer
			if err := report.Write(&page, r, old); err != nil {
				return err
			}
			if out == "-" {
				_, err := page.WriteTo(cmd.OutOrStdout())
				return err
			}
			return disk.Write(out, page.Bytes(), disk.ModeFile)
		},
	}
	cmd.Flags().StringVar(&out, "out", "report.html", "the file to write; - prints it")
	cmd.Flags().StringVar(&base, "base", "", "DIR, LOCK or BUNDLE of an older release to compare with")
	return cmd
}
