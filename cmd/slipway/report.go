package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/lint/nodes"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/report"
)

func newReport(f *flags) *cobra.Command {
	p := &reporting{flags: f}
	cmd := &cobra.Command{
		Use:   "report [DIR|LOCK|BUNDLE]",
		Short: "Make a page about a release",
		Long: `Report makes one HTML file about a release (default dist): its images by platform, names and
tags, layers, bundles, sources, modules and licenses, and the findings of lint. The page loads
nothing from elsewhere, is readable without JavaScript, and marks facts that a lock or a bundle
alone lacks. With -since, the page compares the release with another one; with -nodes, it lists
which nodes of a cluster run which images and why the others do not; with -run, it shows the
steps of the last run over time.

"slipway release" puts the page into its directory as index.html. Equal releases have equal
pages. Nothing is verified: "slipway verify" does that.`,
		Example: `  slipway report
  slipway report dist -since=../0.16.0/dist -o changes.html
  kubectl get nodes -o json | slipway report dist -nodes=-
  slipway report dist -run`,
		RunE: p.run,
	}
	fileToWrite(cmd, &p.out, "report.html", printable, "html")
	addSince(cmd, &p.since, ": the directory, lock or bundle of a release to compare with")
	addNodes(cmd, &p.nodes, "; - is standard input")
	cmd.Flags().BoolVar(&p.timeline, "run", false,
		"show the last run of release or merge, which the store has a record of")
	fileFlag(cmd, &f.product, "product", product.File, "the product's description, whose lint.allow is used",
		"yaml", "yml")
	dirFlag(cmd, &f.store, "store", "", "directory of the store, for -run (default .slipway next to slipway.yaml)")
	needs(cmd, "run", "store")
	return cmd
}

// reporting has the flags of the command.
type reporting struct {
	flags             *flags
	out, since, nodes string
	timeline          bool
}

func (p *reporting) run(cmd *cobra.Command, args []string) error {
	path := "dist"
	if len(args) > 0 {
		path = args[0]
	} else if _, err := os.Lstat(path); err != nil {
		return fmt.Errorf("%s is not there: run %s first, or name the directory of a release", path,
			howto.Run("release"))
	}
	r, old, err := p.read(cmd, path)
	if err != nil {
		return err
	}
	if p.timeline {
		if r.Timeline, err = report.ReadRun(p.flags.storeDir()); err != nil {
			return err
		}
	}
	if p.nodes != "" {
		list, err := nodes.ReadFile(p.nodes)
		if err != nil {
			return err
		}
		if err := r.RunOn(cmd.Context(), list); err != nil {
			return err
		}
	}
	var page bytes.Buffer
	if err := report.Write(&page, r, old); err != nil {
		return err
	}
	if p.out == "-" {
		_, err := page.WriteTo(cmd.OutOrStdout())
		return err
	}
	return disk.WriteAlone(cmd.Context(), p.out, page.Bytes(), disk.ModeFile, saying(cmd))
}

// read reads the release, and the one to compare with, if any.
func (p *reporting) read(cmd *cobra.Command, path string) (r, old *report.Release, err error) {
	ctx := cmd.Context()
	allow, err := p.flags.allowed(cmd)
	if err != nil {
		return nil, nil, err
	}
	if r, err = report.Read(ctx, path, allow...); err != nil || p.since == "" {
		return r, nil, err
	}
	old, err = report.Read(ctx, p.since, allow...)
	return r, old, err
}
