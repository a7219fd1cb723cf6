package main

import (
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// meaning matches what a flag means in every command, up to what it means in this one.
var meaning = regexp.MustCompile(`^.+?([,:;] | \(|$)`)

// chosen are the flags of other programs' choice: those with which containerd calls a verifier, and
// -version, which every program has.
var chosen = map[string]bool{
	"slipway verifier -name": true, "slipway verifier -digest": true, "slipway verifier -stdin-media-type": true,
	"slipway -version": true,
}

// flagsOf returns the meaning of each flag, and the commands that have it.
func flagsOf(t *testing.T) (meanings map[string]string, commands map[string][]string) {
	t.Helper()
	meanings, commands = map[string]string{}, map[string][]string{}
	each(newTree(io.Discard, io.Discard), func(cmd *cobra.Command, f *pflag.Flag) {
		if name := cmd.CommandPath() + " -" + f.Name; chosen[name] || cmd.Name() == "completion" ||
			cmd.HasParent() && cmd.Parent().Name() == "completion" {
			return
		}
		means := strings.TrimRight(meaning.FindString(f.Usage), ",:; (")
		if before := meanings[f.Name]; before != "" && before != means {
			t.Errorf("-%s of %s is %q, and of %s %q: give one of them another name, or begin both with the same words",
				f.Name, strings.Join(commands[f.Name], ", "), before, cmd.CommandPath(), means)
		}
		meanings[f.Name] = means
		commands[f.Name] = append(commands[f.Name], strings.TrimPrefix(cmd.CommandPath(), "slipway "))
	})
	return meanings, commands
}

// TestFlagMeanings checks that a flag's name means the same in every command that has it: what is
// said of it begins with the same words, up to a comma, colon, semicolon or bracket.
func TestFlagMeanings(t *testing.T) {
	meanings, _ := flagsOf(t)
	if len(meanings) < 90 {
		t.Errorf("only %d flags: %s", len(meanings), slices.Sorted(maps.Keys(meanings)))
	}
}
