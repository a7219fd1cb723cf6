package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lint/nodes"
	"github.com/slipway-dev/slipway/platform"
)

func newAudit(f *flags) *cobra.Command {
	a := &auditing{flags: f}
	cmd := &cobra.Command{
		Use:   "audit IMAGE|LIST|MANIFEST|CHART|ARCHIVE|DIR ...",
		Short: "Find what would break on nodes in anybody's images",
		Long: `Audit reads images from registries and archives, whoever made them: the index, and each entry's
manifest and configuration. No slipway.yaml and no account are needed. With -deep, audit also
reads the layers, and reports old bases and programs that cannot start. docs/rules.md describes
the rules, and docs/audit.md the use in a pipeline.

A list is a text file with one reference per line. A manifest is a .yaml, .yml or .json file, or
"-" for standard input; a chart is a directory with a Chart.yaml, a .tgz, or in a registry
oci://REGISTRY/CHART:VERSION. Audit reads every image that their pods, arguments and ConfigMaps
name; a pod that may run where its image does not is a finding, too. An archive is one of
docker save or docker buildx, an OCI layout, or a bundle, compressed or not, or unpacked to a
directory.

Each image is compared with the preceding version among the tags of its repository, or with
-since. To allow a finding, name it with a reason in the file of -allow:

  allow:
  - rule: index-attestation
    image: ghcr.io/acme/app
    reason: our scanner reads them

The exit code is 1 if there is a finding of the severity of -fail, or of a more serious one, and 3
if something could not be read.

With -fix, audit corrects the index of one image instead: every entry gets the platform of its
image, and duplicate and missing entries are removed. An entry that cannot be read is an error.
The new index goes to -to, with its images if that is another repository.`,
		Example: `  slipway audit registry.k8s.io/pause:3.10
  slipway audit -json images.txt
  slipway audit -nodes=nodes.json -case=windows=values-windows.yaml charts/app
  slipway audit oci://ghcr.io/me/charts/app:1.2.3
  slipway audit -deep ghcr.io/me/app:1.2.3
  slipway audit -sarif -fail=warning app.tar > audit.sarif
  slipway audit -fix -to=ghcr.io/me/app:1.2.3-fixed ghcr.io/me/app:1.2.3`,
		RunE: a.run,
	}
	cmd.Flags().StringVar(&a.fail, "fail", string(lint.Error), "the severity that fails: error, warning or note")
	cmd.Flags().BoolVar(&a.sarif, "sarif", false, "print the result as SARIF 2.1.0")
	addSince(cmd, &a.since, ": an image, or none (default the version before, by the tags of the repository)")
	cmd.Flags().StringSliceVar(&a.platforms, "platform", nil, "platforms that each image must be for")
	addNodes(cmd, &a.nodes, ": nodes that must run the images")
	addValues(cmd, &a.values)
	cmd.Flags().StringArrayVar(&a.cases, "case", nil, "further values of charts: NAME=FILE[,FILE]; may be repeated")
	fileFlag(cmd, &a.allow, "allow", "", "a file of findings that are meant, each with a reason", "yaml", "yml")
	cmd.Flags().BoolVar(&a.deep, "deep", false, "read the layers, too: age, and what keeps an image from starting")
	cmd.Flags().BoolVar(&a.mend, "fix", false, "push a corrected index to -to")
	cmd.Flags().StringVar(&a.to, "to", "", "target registry, with the name of the corrected index: "+
		"REPOSITORY[:TAG]")
	cmd.Flags().BoolVar(&a.dryRun, "dry-run", false, "only print what would be done, with -fix")
	add(cmd, f.addFloating, f.addJSON)
	needs(cmd, "fix", "to", "dry-run", "floating")
	return cmd
}

// auditing has the command's flags.
type auditing struct {
	flags               *flags
	fail, to, since     string
	nodes, allow        string
	platforms, values   []string
	cases               []string
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
	reader := audit.NewReader(network.Options{Jobs: 16})
	if a.mend {
		return a.fix(cmd, reader, args)
	}
	if a.deep {
		deep, err := audit.NewDeep()
		if err != nil {
			return err
		}
		defer deep.Close() //nolint:errcheck // a directory for temporary files
		reader.Deep = deep
	}
	o, err := a.options(cmd, &reader, args)
	if err != nil {
		return err
	}
	var all []lint.Index
	var without []string // files that name no image
	for _, arg := range args {
		list, found, err := reader.Read(cmd.Context(), arg)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			without = append(without, cmp.Or(map[string]string{"-": "stdin"}[arg], output.Line(arg)))
		}
		all, o.Found = append(all, list...), append(o.Found, found...)
	}
	if !slices.ContainsFunc(args, audit.IsChart) {
		if err := idle(cmd, chartless, "values", "case"); err != nil {
			return err
		}
	}
	r := lint.CheckIndexes(all, o)
	for _, file := range without {
		if !slices.Contains(r.Files, file) { // it has findings
			r.Files = append(r.Files, file)
		}
	}
	if a.sarif {
		err = r.WriteSARIF(cmd.OutOrStdout(), identify().Version)
	} else {
		err = a.flags.show(cmd, r)
	}
	if err != nil {
		return err
	}
	err = r.Incomplete()
	if found := r.Counts(lint.Severity(a.fail)); found != "" {
		err = errors.Join(err, fmt.Errorf("%s: %s", r.Title(), found))
	}
	return err
}

// options reads what the flags name.
func (a *auditing) options(cmd *cobra.Command, reader *audit.Reader, args []string) (lint.IndexOptions, error) {
	o := lint.IndexOptions{Now: time.Now()}
	if a.since != "" && a.since != audit.NoBefore {
		_, wrong := name.ParseReference(a.since)
		_, err := os.Stat(args[0])
		if wrong != nil || err == nil || len(args) > 1 || strings.HasPrefix(args[0], audit.OCI) {
			return o, misuse(cmd, "-since=%s: name the image before the only one that is audited, or none", a.since)
		}
	}
	reader.Before, reader.Values = a.since, a.values
	for _, text := range a.platforms {
		p, err := platform.Parse(text)
		if err != nil {
			return o, misuse(cmd, "-platform: %v", err)
		}
		o.Platforms = append(o.Platforms, p)
	}
	for _, text := range a.cases {
		of, files, ok := strings.Cut(text, "=")
		if !ok || of == "" || files == "" {
			return o, misuse(cmd, "-case=%s: write NAME=FILE[,FILE]", text)
		}
		reader.Cases = append(reader.Cases, audit.Case{Name: of, Files: strings.Split(files, ",")})
	}
	if a.nodes != "" {
		list, err := nodes.ReadFile(a.nodes)
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("%s lists no node: make it with kubectl get nodes -o json in a cluster that has some",
				a.nodes)
		}
		if err != nil {
			return o, err
		}
		for _, n := range list {
			o.Hosts = append(o.Hosts, lint.Host{Name: n.Name, Platform: n.Platform})
		}
		reader.Hosts = o.Hosts
		o.Older = func(images []platform.Platform) (all []string) {
			for _, older := range nodes.FindOlder(list, images) {
				all = append(all, older.String())
			}
			return all
		}
	}
	var err error
	if a.allow != "" {
		o.Allow, err = lint.ReadIndexAllow(a.allow)
	}
	return o, err
}
