// Package howto writes the commands that messages advise a user to run, in the form in which this
// user runs them.
package howto

import (
	"os"
	"slices"
	"strings"
)

// runBy is the environment variable that mage's targets set to "mage" when they run the command.
// Package target has a copy, since mage compiles it.
const runBy = "SLIPWAY_RUN_BY"

// targets are the commands that package target has a target for.
var targets = []string{"release", "lint", "pin", "check", "plan", "doctor", "serve"}

// updateFlag is the one flag of a target that messages name.
const updateFlag = " -update"

// Run returns the command line that runs slipway with these words: "slipway pin"; or "go tool
// mage pin" if mage runs this process; or "go tool slipway merge" if mage has no such target.
func Run(words string) string { return command(words, os.Getenv(runBy) == "mage") }

func command(words string, mage bool) string {
	if !mage {
		return "slipway " + words
	}
	if slices.Contains(targets, strings.TrimSuffix(words, updateFlag)) {
		return "go tool mage " + words
	}
	return "go tool slipway " + words
}
