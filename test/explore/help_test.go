//go:build linux

package explore

import (
	"context"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// commands are the flags of each command, as the help of slipway lists them: "airgap push" has
// "ca-file" and others. Groups, which only have commands, are omitted.
var commands = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	var ask func(path ...string)
	ask = func(path ...string) {
		out, err := exec.CommandContext(context.Background(), command(), append(path, "-h")...).CombinedOutput()
		if err != nil {
			panic(string(out))
		}
		_, usage, _ := strings.Cut(string(out), "\nUsage:\n")
		listed, own, _ := strings.Cut(usage, "\nFlags:\n")
		if strings.Contains(usage, " COMMAND\n") {
			for _, l := range helpCommand.FindAllStringSubmatch(listed, -1) {
				ask(append(path, l[1])...)
			}
			return
		}
		flags := []string{}
		for _, f := range helpFlag.FindAllStringSubmatch(own, -1) {
			if f[1] != "help" {
				flags = append(flags, f[1])
			}
		}
		all[strings.Join(path, " ")] = flags
	}
	ask()
	for _, hidden := range []string{"verifier", "cacheprog"} {
		ask(hidden)
	}
	return all
})

var (
	helpCommand = regexp.MustCompile(`(?m)^  ([a-z-]+) {2,}[A-Z]`)
	helpFlag    = regexp.MustCompile(`(?m)^  (?:-\w, )?-([a-z][a-z-]*)`)
)

// flag is the name of a flag in an argument: json of -json=true. It is "" if there is none.
func flagOf(arg string) string {
	if !strings.HasPrefix(arg, "-") || len(arg) < 2 {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return map[string]string{"q": "quiet", "v": "verbose", "o": "output"}[name] +
		map[bool]string{true: name}[len(name) > 1]
}

// commandOf returns the name of the command that arguments call: "airgap push".
func commandOf(args []string) string {
	for n := min(len(args), 2); n > 0; n-- {
		name := strings.Join(args[:n], " ")
		if _, ok := commands()[name]; ok {
			return name
		}
	}
	return args[0]
}

// TestFlagsDrawn draws lines of every command. Every flag that the command has is in one of them at
// least, or is listed with the reason.
func TestFlagsDrawn(t *testing.T) {
	t.Parallel()
	drawn := map[string]int{}
	for n := range 500 {
		for name := range lines {
			for _, a := range drawLine(name, exampleGround).Example(n).args {
				drawn[name+" -"+flagOf(a)]++
			}
		}
	}
	for name, flags := range commands() {
		if lines[name] == nil && notRun[name] == "" {
			t.Errorf("no walk runs slipway %s", name)
			continue
		}
		for _, f := range flags {
			if at := name + " -" + f; drawn[at] == 0 && notRun[name] == "" && notRun[at] == "" {
				t.Errorf("no walk has slipway %s", at)
			} else if drawn[at] > 0 && notRun[at] != "" {
				t.Errorf("slipway %s is drawn: take it off the list", at)
			}
		}
	}
	for name, l := range lines {
		if commands()[name] == nil || l == nil || notRun[name] != "" {
			t.Errorf("%s is not a command that walks run", name)
		}
	}
}

// notRun are commands and flags that no walk has, each with the reason.
var notRun = map[string]string{
	"help":                  "it prints what -h prints",
	"completion bash":       "cobra makes it",
	"completion fish":       "cobra makes it",
	"completion powershell": "cobra makes it",
	"completion zsh":        "cobra makes it",
}
