package howto

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for words, want := range map[string][2]string{
		"pin":         {"slipway pin", "go tool mage pin"},
		"pin -update": {"slipway pin -update", "go tool mage pin -update"},
		"pin bases":   {"slipway pin bases", "go tool slipway pin bases"},
		"airgap pack": {"slipway airgap pack", "go tool slipway airgap pack"},
		"verify a.b":  {"slipway verify a.b", "go tool slipway verify a.b"},
		"merge":       {"slipway merge", "go tool slipway merge"},
	} {
		if got := [2]string{command(words, false), command(words, true)}; got != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
	t.Setenv(runBy, "mage")
	if got := Run("release"); got != "go tool mage release" {
		t.Errorf("run by mage: %s", got)
	}
}

// Every target is a function of package target, which sets the variable.
func TestTargets(t *testing.T) {
	text, err := os.ReadFile("../../target/target.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		name := strings.ToUpper(target[:1]) + target[1:]
		if !regexp.MustCompile(`(?m)^func ` + name + `\(`).Match(text) {
			t.Errorf("package target has no %s", name)
		}
		if !strings.Contains(string(text), `[]string{"`+target+`"`) {
			t.Errorf("no target runs slipway %s", target)
		}
	}
	run, err := os.ReadFile("../../target/run.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(run), `"`+runBy+`=mage"`) {
		t.Errorf("the targets do not set %s", runBy)
	}
}
