// Package howto writes the commands that messages advise a user to run, in the form in which this
// user runs them.
package howto

import (
	"os"
	"strings"
)

// runBy is the environment variable that mage's targets set to "mage" when they run the command.
// Package target has a copy, since mage compiles it.
const runBy = "SLIPWAY_RUN_BY"

// targets are the commands that package target has a target for, with its name.
var targets = map[string]string{
	"release": "release", "build": "build", "publish": "publish", "render": "render", "lint": "lint",
	"airgap pack": "airgap",
	"bases":       "bases", "check": "check", "plan": "plan", "doctor": "doctor", "serve": "serve", "clean": "clean",
}

// updateFlag is the one flag of a target that messages name.
const updateFlag = " -update"

// Run returns the command line that runs slipway with these words: "slipway bases"; or "go tool
// mage bases" if mage runs this process; or "go tool slipway merge" if mage has no such target.
func Run(words string) string { return command(words, os.Getenv(runBy) == "mage") }

func command(words string, mage bool) string {
	if !mage {
		return "slipway " + words
	}
	name, update := strings.CutSuffix(words, updateFlag)
	if target, ok := targets[strings.TrimSpace(name)]; ok && update {
		return "go tool mage " + target + updateFlag
	} else if ok {
		return "go tool mage " + target
	}
	return "go tool slipway " + words
}
