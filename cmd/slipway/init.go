package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/scaffold"
)

func newInit() *cobra.Command {
	var o scaffold.Options
	var example, questions string
	cmd := &cobra.Command{
		Use:   "init [directory]",
		Short: "Write a slipway.yaml for the repository in a directory",
		Long: `Init reads a repository and writes slipway.yaml, and nothing else. Its sources are go.mod and
the main packages, Dockerfiles, Makefiles with the files that they include, scripts,
workflows, bake files, .ko.yaml, .goreleaser.yaml, .promu.yml, charts and manifests; none of
them is run. Dockerfiles stay as they are: slipway.yaml has the stage, arguments and programs
that builds give them.

Each fact in slipway.yaml has a comment with the file and line that proves it. On a terminal,
init asks for facts that nothing proves or that two places contradict. Elsewhere it lists them
under undecided, which is an error of check and release until a person removes the entry.

Then init checks the result as slipway check does, and lists the missing parts of each image;
the exit code is 1 then. Init never overwrites a file: if slipway.yaml exists, init names the
Dockerfiles and charts that the file lacks.`,
		Example: "  slipway init\n  slipway init -example=hello demo\n " +
			" slipway init -platforms=linux/amd64,windows/amd64:ltsc2022 ../driver",
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			if example != "" {
				return writeExample(cmd, example, dir)
			}
			var err error
			if o.Ask, err = asker(cmd, questions); err != nil {
				return err
			}
			d, err := scaffold.Read(cmd.Context(), dir, o)
			if err != nil {
				return err
			}
			defer func() { _ = d.Close() }() // only read
			wrong, err := d.Settle(cmd.Context(), saying(cmd))
			if err != nil {
				return err
			}
			return d.Report(cmd.OutOrStdout(), dir, wrong)
		},
	}
	cmd.Flags().StringVar(&o.Name, "name", "", "name of the product (default that of the repository)")
	cmd.Flags().StringVar(&o.Version, "version",
		"", "the product's version (default git in a git repository, then that in the Makefile or VERSION)")
	cmd.Flags().StringVar(&o.Revision, "revision", "", "the commit, for a directory that is not in git")
	cmd.Flags().StringVar(&o.Created, "created",
		"", "the commit's time as 2025-01-16T21:57:50Z, for a directory that is not in git")
	cmd.Flags().StringSliceVar(&o.Platforms, "platforms", nil, "only these platforms, "+
		"such as linux/amd64,windows/amd64:ltsc2022 (default those that the repository builds for)")
	cmd.Flags().StringVar(&example, "example", "",
		"write a product to try instead: "+strings.Join(scaffold.Examples(), ", "))
	cmd.Flags().StringVar(&questions, "questions", "", "what becomes of facts that nothing here proves: "+
		"ask, or file, which writes them under undecided (default ask on a terminal)")
	offer(cmd, "questions", "ask", "file")
	for _, name := range []string{"name", "version", "revision", "created", "platforms", "questions"} {
		cmd.MarkFlagsMutuallyExclusive("example", name)
	}
	offer(cmd, "example", scaffold.Examples()...)
	return cmd
}

// writeExample writes an example and prints what to run.
func writeExample(cmd *cobra.Command, name, dir string) error {
	made, err := scaffold.Example(cmd.Context(), name, dir, saying(cmd))
	if err != nil {
		return err
	}
	for _, f := range made {
		fmt.Fprintln(cmd.OutOrStdout(), "wrote "+f)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "Next: %s\n", scaffold.Command("check", dir))
	return err
}
