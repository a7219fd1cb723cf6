package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lint/audit"
)

func newAudit(f *flags) *cobra.Command {
	a := &auditing{flags: f}
	cmd := &cobra.Command{
		Use:   "audit IMAGE|LIST|ARCHIVE|DIR ...",
		Short: "Find what would break on nodes in images that anybody has published",
		Long: `Audit reads images as registries and archives have them, whoever made them: the index, and each
entry's manifest and configuration, and no layer. It needs no slipway.yaml and no account.
docs/rules.md describes the rules, and docs/audit.md how to use it in a pipeline.

A list is a text file with one reference per line. An archive is one of docker save or docker
buildx, an OCI layout, or a bundle, compressed or not; a directory is one that is unpacked.

The exit code is 1 if there is a finding of the severity of -fail, or of a more serious one.

With -fix it mends the index of one image instead: every entry gets the platform of its image, and
what is there twice, or is not there at all, is removed. The new index goes to -to, with the
images that it lists if that is another repository.`,
		Example: `  slipway audit registry.k8s.io/pause:3.10
  slipway audit -json images.txt
  slipway audit -sarif -fail=warning app.tar > audit.sarif
  slipway audit -fix -to=ghcr.io/me/app:1.2.3-fixed ghcr.io/me/app:1.2.3`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.run,
	}
	cmd.Flags().StringVar(&a.fail, "fail", string(lint.Error), "the severity that fails: error, warning or note")
	cmd.Flags().BoolVar(&a.sarif, "sarif", false, "print the result as SARIF 2.1.0")
	cmd.Flags().BoolVar(&a.deep, "deep", false, "read the layers, too: age, and what keeps an image from starting")
	cmd.Flags().BoolVar(&a.mend, "fix", false, "push a corrected index to -to")
	cmd.Flags().StringVar(&a.to, "to", "", "the repository, and the tag, of the corrected index: REPOSITORY[:TAG]")
	cmd.Flags().BoolVar(&a.dryRun, "dry-run", false, "with -fix, say what would change, and push nothing")
	return add(cmd, f.addFloating, f.addJSON)
}

// auditing has the command's flags.
type auditing struct {
	flags               *flags
	fail, to            string
	sarif, mend, dryRun bool
	deep                bool
}

func (a *auditing) run(cmd *cobra.Command, args []string) error {
	if a.sarif && a.flags.json {
		return misuse(cmd, "-json and -sarif are two forms of one result: choose one")
	}
	if !slices.Contains(lint.Severities, lint.Severity(a.fail)) {
		return misuse(cmd, "-fail=%s: the severities are error, warning and note", a.fail)
	}
	const jobs = 8
	o := network.Options{Jobs: jobs}
	reader := audit.Reader{Client: network.New(o), Options: o, Jobs: jobs}
	if a.mend {
		return a.fix(cmd, reader, args)
	}
	if a.to != "" || a.dryRun || cmd.Flags().Changed("floating") {
		return misuse(cmd, "-to, -dry-run and -floating belong to -fix")
	}
	if a.deep {
		deep, err := audit.NewDeep()
		if err != nil {
			return err
		}
		defer deep.Close()
		reader.Deep = deep
	}
	var all []lint.Index
	for _, arg := range args {
		list, err := reader.Read(cmd.Context(), arg)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	r := lint.CheckIndexes(all, time.Now())
	var err error
	if a.sarif {
		err = r.WriteSARIF(cmd.OutOrStdout(), identify().Version)
	} else {
		err = a.flags.show(cmd, r)
	}
	if err != nil {
		return err
	}
	if found := r.Counts(lint.Severity(a.fail)); found != "" {
		return fmt.Errorf("%s: %s", r.Title(), found)
	}
	return nil
}
