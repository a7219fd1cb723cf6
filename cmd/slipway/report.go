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
tags, layers, bundles, what it was made from, modules and licenses, and what lint finds. It needs
nothing from elsewhere, and is readable without JavaScript. What a lock or a bundle alone does not
tell, the page says it cannot know. With -base it compares the release with another one, with
-nodes it tells which nodes of a cluster run what and why the others do not, and with -run how
long each step of the last run took and what ran beside it.

"slipway release" puts the page into its directory as index.html. Equal releases have equal
pages. Nothing is verified: "slipway airgap verify" does that.`,
		Example: `  slipway report
  slipway report dist -base=../0.16.0/dist -out=changes.html
  kubectl get nodes -o json | slipway report dist -nodes=-
  slipway report dist -run`,
		RunE: p.run,
	}
	cmd.Flags().StringVar(&p.out, "out", "report.html", "the file to write; - prints it")
	cmd.Flags().StringVar(&p.base, "base", "", "DIR, LOCK or BUNDLE of an older release to compare with")
	fileFlag(cmd, &p.nodes, "nodes", "", "a file from kubectl get nodes -o json; - is standard input", "json")
	cmd.Flags().BoolVar(&p.timeline, "run", false,
		"show the last run of release or merge, which the store has a record of")
	fileFlag(cmd, &f.product, "product", product.File, "the slipway.yaml whose lint.allow allows findings",
		"yaml", "yml")
	dirFlag(cmd, &f.store, "store", "", "the store, for -run (default .slipway beside slipway.yaml)")
	needs(cmd, "run", "store")
	return cmd
}

// reporting has the flags of the command.
type reporting struct {
	flags            *flags
	out, base, nodes string
	timeline         bool
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
	if r, err = report.Read(ctx, path, allow...); err != nil || p.base == "" {
		return r, nil, err
	}
	old, err = report.Read(ctx, p.base, allow...)
	return r, old, err
}
