package main

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// maxCommands bounds what "slipway -h" shows.
const maxCommands = 28

// helpOf returns what a command prints with -h.
func helpOf(t *testing.T, cmd *cobra.Command) string {
	t.Helper()
	var out, problems strings.Builder
	args := strings.Fields(cmd.CommandPath() + " -h")[1:]
	if code := run(args, &out, &problems); code != 0 || problems.Len() > 0 {
		t.Fatalf("slipway %s: exit code %d\n%s", strings.Join(args, " "), code, problems.String())
	}
	return out.String()
}

// TestHelp checks that every command explains itself with an example, in lines that fit, and that
// -h of the command above lists it under a title.
func TestHelp(t *testing.T) {
	shown := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		if cmd.Short == "" || !cmd.HasExample() && !cmd.HasSubCommands() && !strings.Contains(cmd.CommandPath(), "completion") {
			t.Errorf("%s has no example or no short description", cmd.CommandPath())
		}
		for _, call := range called.FindAllStringSubmatch(strings.ReplaceAll(cmd.Example, "\\\n", " "), -1) {
			if err := checkCall(newRoot(), strings.Fields(call[2])); err != nil {
				t.Errorf("%s: example %s: %v", cmd.CommandPath(), call[0], err)
			}
		}
		help := helpOf(t, cmd)
		for line := range strings.Lines(help) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth {
				t.Errorf("%s: a line of its help has %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		for _, sub := range cmd.Commands() {
			if listed := strings.Contains(help, "\n  "+sub.Name()+" "); listed != sub.IsAvailableCommand() &&
				sub.Name() != "help" {
				t.Errorf("%s -h lists %s: %t", cmd.CommandPath(), sub.Name(), listed)
			} else if listed && !cmd.HasParent() {
				shown++
			}
			check(sub)
		}
	}
	check(newTree(io.Discard, io.Discard))
	if shown > maxCommands {
		t.Errorf("slipway -h lists %d commands, more than %d", shown, maxCommands)
	}
}

// TestVersionFlag checks that -version prints what the command version does.
func TestVersionFlag(t *testing.T) {
	for _, args := range [][]string{{"-version"}, {"--version"}, {"version"}} {
		var out, problems strings.Builder
		if code := run(args, &out, &problems); code != 0 || out.String() != identify().String()+"\n" {
			t.Errorf("slipway %s: exit code %d: %q %q", args[0], code, out.String(), problems.String())
		}
	}
}
