package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/render/chart"
)

func newLint(f *flags) *cobra.Command {
	l := &linting{flags: f}
	cmd := &cobra.Command{
		Use:   "lint [MANIFEST|CHART ...]",
		Short: "Check manifests and charts against what Linux and Windows nodes can run",
		Long: `Lint checks every object and pod of the manifests: fields that the API server refuses or that
the pod's nodes do not support, and images without a platform for a node that the pod may run
on. Without a manifest it reads release.yaml in the output directory; "-" is standard input.
docs/rules.md describes the rules.

A chart is a directory with a Chart.yaml or a .tgz. Lint renders charts without a cluster, with
their own values or those of -values; findings name the line of a template.

Lint looks up images in -lock, or in release.lock.json next to the first manifest. With -remote,
lint asks registries for the other images.

To allow a finding, write a comment on its line, on the line above, or above the object:

  # slipway:allow RULE REASON

or an entry in lint.allow of slipway.yaml, which is used for release.yaml and with -product.
The exit code is 1 if there is an error, or with -strict also if there is a warning.`,
		Example: `  slipway lint
  slipway lint -remote deploy/*.yaml
  slipway lint -values=windows.yaml charts/app
  slipway lint -sarif dist/release.yaml > lint.sarif`,
		RunE: l.run,
	}
	fileFlag(cmd, &f.product, "product", product.File, "the product's description, whose lint.allow is used",
		"yaml", "yml")
	addLock(cmd, &l.lock, " (default the one next to the first manifest)")
	addValues(cmd, &l.values)
	cmd.Flags().BoolVar(&l.remote, "remote", false, "ask registries for images that are not in the lock")
	cmd.Flags().BoolVar(&l.sarif, "sarif", false, "print the result as SARIF 2.1.0")
	cmd.Flags().BoolVar(&l.strict, "strict", false, "fail on warnings, too")
	cmd.Flags().BoolVarP(&l.verbose, "verbose", "v", false, "list every finding, even if it is the same for every pod")
	return add(cmd, f.addOut, f.addVersion, f.addJSON)
}

// linting has the command's flags.
type linting struct {
	flags                          *flags
	lock                           string
	values                         []string
	remote, sarif, strict, verbose bool
}

func (l *linting) run(cmd *cobra.Command, args []string) error {
	if l.sarif && l.flags.json {
		return misuse(cmd, "-json and -sarif are two forms of one result: choose one")
	}
	own := len(args) == 0
	if own {
		args = []string{filepath.Join(l.flags.out, release.Manifest)}
	}
	if !own {
		if err := idle(cmd, "with "+args[0]+", which is named: leave it out", "out"); err != nil {
			return err
		}
		if !cmd.Flags().Changed("product") {
			if err := idle(cmd, "without -product: give that, too", "version", "channel"); err != nil {
				return err
			}
		}
	}
	o := lint.Options{}
	if own || cmd.Flags().Changed("product") {
		p, err := l.flags.load(cmd.Context())
		if err != nil {
			return err
		}
		o.Allow = p.Lint.Allow
		if own {
			o.Product = p
		}
	}
	if _, err := os.Lstat(args[0]); own && err != nil {
		return fmt.Errorf("%s is not there: run %s first, or name manifests to check", args[0], howto.Run("release"))
	}
	files, err := lint.ReadFiles(cmd.Context(), args, l.values)
	if err == nil && !slices.ContainsFunc(args, chart.IsPath) {
		err = idle(cmd, chartless, "values")
	}
	if err != nil {
		return err
	}
	if o.Lock, err = l.readLock(args[0]); err != nil {
		return err
	}
	if l.remote {
		o.Remote = askRegistries
	}
	r, err := lint.Check(cmd.Context(), files, o)
	if r == nil {
		return err
	}
	return errors.Join(l.print(cmd, r), err, r.Err(l.strict))
}

// askRegistries asks registries for images.
func askRegistries(ctx context.Context, refs []name.Reference) (map[string]lint.Remote, error) {
	trees, err := transfer.New(network.Options{}).Trees(ctx, refs)
	all := map[string]lint.Remote{}
	for ref, t := range trees {
		all[ref] = lint.Remote{Digest: t.Desc.Digest.String(), Platforms: t.Platforms()}
	}
	return all, err
}

// print writes the report in the format that the flags select.
func (l *linting) print(cmd *cobra.Command, r *lint.Report) error {
	switch {
	case l.sarif:
		return r.WriteSARIF(cmd.OutOrStdout(), identify().Version)
	case l.verbose && !l.flags.json:
		return r.WriteAll(cmd.OutOrStdout())
	}
	return l.flags.show(cmd, r)
}

// readLock reads the lock given by -lock, or the one in the manifest's directory if it exists.
func (l *linting) readLock(manifest string) (*lock.Lock, error) {
	if l.lock != "" {
		return lock.ReadGiven(l.lock)
	}
	found, err := lock.Read(filepath.Join(filepath.Dir(manifest), lock.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return found, err
}
