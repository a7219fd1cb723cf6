package main

import "github.com/spf13/cobra"

// fileFlag adds a flag that names a file. A shell offers those with one of the endings.
func fileFlag(cmd *cobra.Command, p *string, name, value, usage string, endings ...string) {
	cmd.Flags().StringVar(p, name, value, usage)
	cmd.MarkFlagFilename(name, endings...) //nolint:errcheck // fails only where the flag is missing
}

// dirFlag adds a flag that names a directory.
func dirFlag(cmd *cobra.Command, p *string, name, value, usage string) {
	cmd.Flags().StringVar(p, name, value, usage)
	cmd.MarkFlagDirname(name) //nolint:errcheck // fails only where the flag is missing
}

// offer lets a shell offer values of a flag.
func offer(cmd *cobra.Command, name string, values ...string) {
	list := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	cmd.RegisterFlagCompletionFunc(name, list) //nolint:errcheck // fails only where the flag is missing
}

// addSince adds the flag of commands that compare with an earlier release.
func addSince(cmd *cobra.Command, p *string, usage string) {
	cmd.Flags().StringVar(p, "since", "", "earlier release"+usage)
}

// addLock adds the flag of commands that read the lock of a release.
func addLock(cmd *cobra.Command, p *string, usage string) {
	fileFlag(cmd, p, "lock", "", "release.lock.json of the release"+usage, "json")
}

// addValues adds the flag of commands that render charts.
func addValues(cmd *cobra.Command, p *[]string) {
	cmd.Flags().StringSliceVar(p, "values", nil, "files of values for charts; later ones override earlier ones")
}

// addNodes adds the flag of commands that compare with the nodes of a cluster.
func addNodes(cmd *cobra.Command, p *string, usage string) {
	fileFlag(cmd, p, "nodes", "", "output of kubectl get nodes -o json"+usage, "json")
}

// copyFlags adds the flags of commands that write a copy of release.yaml with other names.
func copyFlags(cmd *cobra.Command, release, to *string, usage string) {
	fileFlag(cmd, release, "release", "", "release.yaml of the release, to write a copy with the new names"+usage,
		"yaml", "yml")
	fileFlag(cmd, to, "release-to", "", "file for the copy of -release (default release.REGISTRY.yaml next to it)",
		"yaml", "yml")
	writesTo(cmd, "release-to", replaced)
}

// printable ends the usage of a file to write that "-" prints.
const printable = "; - prints it"

// fileToWrite adds the flag of commands that write one file, which -o abbreviates.
func fileToWrite(cmd *cobra.Command, p *string, value, usage string, endings ...string) {
	cmd.Flags().StringVarP(p, "output", "o", value, "file to write"+usage)
	cmd.MarkFlagFilename("output", endings...) //nolint:errcheck // fails only where the flag is missing
	if len(endings) == 0 {
		writesTo(cmd, "output", either)
	} else {
		writesTo(cmd, "output", replaced)
	}
}
