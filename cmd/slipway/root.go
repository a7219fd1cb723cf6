package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/howto"
)

const about = `Slipway releases mixed Linux and Windows Kubernetes products from one Linux machine.

Slipway builds the images that slipway.yaml describes, pushes them as multi-platform indexes,
renders a release.yaml in which every image is pinned by digest, and packs bundles for
clusters without a network. Without a registry it makes a snapshot: the images go to an
embedded registry, no network is used, and the output names what dist/ lacks.

Exit codes: 0 all is well, 1 findings or refused, 2 a mistake in the command line, 3 a registry
or server could not be read, 130 after Ctrl-C.`

func newRoot() *cobra.Command {
	cobra.EnableCommandSorting = false // help lists commands in the order in which one needs them
	root := group(&cobra.Command{
		Use:   "slipway",
		Short: "Release mixed Linux and Windows Kubernetes products from one Linux machine",
		Long:  about,
		Example: `  slipway audit registry.k8s.io/pause:3.10                 what would break on nodes
  slipway release                                          a snapshot in dist/
  slipway release -registry=ghcr.io/me                     the same, pushed to a registry
  slipway verify -key=/etc/slipway/keys/release.pub dist   proof of who made it`,
		SilenceUsage:  true,
		SilenceErrors: true,
	})
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(usage)
	root.SetHelpFunc(writeHelp)
	var f flags
	shelf(root, "Begin:", newInit(), newPin(&f), newDoctor(&f), newKeygen(&f))
	shelf(root, "Release:", newCheck(&f), newPlan(&f), newRelease(&f), newImages(&f), newReport(&f))
	shelf(root, "Deliver:", newPromote(&f), newGitHubRelease(&f), newAirgap(&f), newServe(&f))
	shelf(root, "Verify:", newVerify(&f), newReproduce(&f), newAudit(&f), newLint(&f), newNodes(&f))
	shelf(root, "Several machines:", newShard(&f), newMerge(&f))
	shelf(root, "Inside:", newStage(&f), newStore(&f), newVersion(&f))
	root.AddCommand(hidden(newVerifier()), hidden(newCacheprog()))
	root.SetHelpCommandGroupID("Inside:")
	root.SetCompletionCommandGroupID("Inside:")
	root.Version = identify().String()
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().Bool("version", false, "print the version")
	f.addAuthorities(root)
	return root
}

// shelf adds commands to root under a title in its help.
func shelf(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}

// hidden hides a command that programs run: the go command, and containerd.
func hidden(cmd *cobra.Command) *cobra.Command {
	cmd.Hidden = true
	return cmd
}

// group makes a command that only has subcommands. Without one it prints its help; an
// unknown subcommand is an error.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
	return cmd
}

// unknownCommand reports a word that names none of a group's subcommands.
func unknownCommand(cmd *cobra.Command, word string) error {
	near := elsewhere(cmd.Root(), word)
	if near == nil {
		near = cmd.SuggestionsFor(word)
	}
	if len(near) == 0 {
		return misuse(cmd, "unknown command %q for %q", word, cmd.CommandPath())
	}
	return howto.Usage("unknown command %q for %q: is %s meant?", word, cmd.CommandPath(), strings.Join(near, " or "))
}

// elsewhere returns the commands of other groups that have a name, or had it.
func elsewhere(cmd *cobra.Command, word string) (found []string) {
	if to, ok := renamed[word]; ok {
		return []string{to}
	}
	for _, sub := range cmd.Commands() {
		if sub.Name() == word && sub.IsAvailableCommand() {
			found = append(found, strconv.Quote(sub.CommandPath()))
		}
		found = append(found, elsewhere(sub, word)...)
	}
	return found
}

// renamed has calls for words that are not commands, and that users try.
var renamed = map[string]string{
	"bases": `"slipway pin bases"`,
	"list":  `"slipway airgap inspect"`,
	"sign":  `"slipway release -sign"`,
}

// unknownHelp reports a request for the help of a command that does not exist, for which cobra
// prints the help of the command above.
func unknownHelp(root *cobra.Command, args []string) error {
	isHelp := func(a string) bool { return a == "-h" || a == "--help" }
	switch {
	case len(args) > 0 && args[0] == "help":
		args = args[1:]
	case !slices.ContainsFunc(args, isHelp):
		return nil
	}
	cmd, rest, err := root.Find(slices.DeleteFunc(slices.Clone(args), isHelp))
	if err != nil || len(rest) == 0 || !cmd.HasSubCommands() || strings.HasPrefix(rest[0], "-") ||
		cobraCommands[rest[0]] {
		return nil //nolint:nilerr // the command reports it
	}
	return unknownCommand(cmd, rest[0])
}

// cobraCommands are the commands that cobra adds when it runs.
var cobraCommands = map[string]bool{
	"help": true, cobra.ShellCompRequestCmd: true,
	cobra.ShellCompNoDescRequestCmd: true,
}

// longFlags lets users write long flags with one dash, as for Go programs and mage:
// -registry=… becomes --registry=…. Single letters (-q, -h) and everything
// after "--" stay. pflag itself would read -registry as -r -e -g ….
func longFlags(args []string) []string {
	long := make([]string, len(args))
	for i, a := range args {
		if a == "--" {
			copy(long[i:], args[i:])
			break
		}
		if len(a) > 2 && a[0] == '-' && isLetter(a[1]) && a[2] != '=' {
			a = "-" + a
		}
		long[i] = a
	}
	return long
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
