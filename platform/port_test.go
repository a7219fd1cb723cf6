package platform_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/platform"
)

// TestPorts compares the platforms of programs with those that Go compiles for.
func TestPorts(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "tool", "dist", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	for port := range strings.FieldsSeq(string(out)) {
		os, arch, _ := strings.Cut(port, "/")
		p, err := platform.ParsePort(port)
		without := slices.Contains([]string{"android", "ios", "js", "wasip1"}, os)
		if want := (platform.Platform{OS: os, Architecture: arch}); without == (err == nil) || !without && p != want {
			t.Errorf("%s: %+v, %v", port, p, err)
		}
	}
	for _, s := range []string{
		"", "darwin", "darwin/", "darwin/386", "linux/amd64/v2", "linux/arm/v8",
		"linux/arm/", "windows/amd64:ltsc2022", "windows/arm",
	} {
		if p, err := platform.ParsePort(s); err == nil {
			t.Errorf("%q is %+v", s, p)
		}
	}
	if p, err := platform.ParsePort("linux/arm/v7"); err != nil || p.String() != "linux/arm/v7" {
		t.Errorf("%+v, %v", p, err)
	}
}
