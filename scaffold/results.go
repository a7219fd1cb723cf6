package scaffold

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// ofTags matches a value that is made of a tag of git.
var ofTags = lazyregexp.New(`\{\{\.Tag\}\}|REF_NAME|\bTAG\b`)

// results takes in the values that a command of a step passes to later steps: a line for
// GITHUB_OUTPUT, or for GITHUB_ENV. Of several values, the value made of a tag counts.
func results(c shell.Call, id string, known map[string]string) {
	key := ""
	switch {
	case strings.Contains(c.Output, "GITHUB_OUTPUT") && id != "":
		key = "steps." + id + ".outputs."
	case strings.Contains(c.Output, "GITHUB_ENV"):
		key = "env."
	}
	if key == "" || !slices.Contains([]string{"echo", "printf"}, c.Words[0]) {
		return
	}
	words := c.Words[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		words = words[1:]
	}
	name, value, ok := strings.Cut(strings.TrimSuffix(strings.Join(words, " "), `\n`), "=")
	if !ok || name == "" || strings.Contains(value, "%s") {
		return
	}
	key += name
	value = computed.ReplaceAllStringFunc(value, func(c string) string { return strings.ReplaceAll(c, " ", "_") })
	switch old, twice := known[key]; {
	case !twice || old == value || ofTags.MatchString(value):
		known[key] = value
	case !ofTags.MatchString(old):
		known[key] = "$(workflow)"
	}
}

// anyMachine is a runner that is not known.
const anyMachine = "any"

// machineOf is the platform of a runner, "" for one that is not for Linux.
func machineOf(runner string) string {
	switch {
	case shell.Unknown(runner):
		return anyMachine
	case strings.Contains(runner, "windows") || strings.Contains(runner, "macos"):
		return ""
	case strings.Contains(runner, "arm"):
		return "linux/arm64"
	case strings.Contains(runner, "ubuntu") || strings.Contains(runner, "amd64") || strings.Contains(runner, "x64"):
		return "linux/amd64"
	}
	return ""
}
