package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestStart bounds what packages allocate before main begins, which every command and every
// renderer waits for. Regular expressions, schemes and templates are made when they are first used.
func TestStart(t *testing.T) {
	const own, others = 150, 1000 // allocations of a package
	more := map[string]int{
		"github.com/slipway-dev/slipway/cmd/slipway": 2000, // with the variables of these tests

		// Helm needs these: see docs/adr/0069-size-and-start-of-the-command.md
		"github.com/santhosh-tekuri/jsonschema/v6":   30_000, // compiles the metaschemas of JSON Schema
		"k8s.io/client-go/kubernetes/scheme":         8000,   // all kinds of Kubernetes
		"sigs.k8s.io/structured-merge-diff/v6/typed": 3000,
		"github.com/Masterminds/semver/v3":           2000,
		"k8s.io/api/core/v1":                         1500,

		"github.com/slipway-dev/slipway/scaffold": 600, // names of 80 expressions
	}
	cmd := exec.CommandContext(t.Context(), slipway(t), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1,gctrace=1", "GOGC=")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(trace.String(), "\ngc ") {
		t.Error("garbage is collected before the command begins")
	}
	lines := regexp.MustCompile(`(?m)^init (\S+) .* (\d+) allocs$`).FindAllStringSubmatch(trace.String(), -1)
	if len(lines) < 100 {
		t.Fatalf("the trace has %d packages: %s", len(lines), trace.String())
	}
	for _, l := range lines {
		limit := others
		if strings.HasPrefix(l[1], "github.com/slipway-dev/") {
			limit = own
		}
		limit = max(limit, more[l[1]])
		if n, err := strconv.Atoi(l[2]); err != nil || n > limit {
			t.Errorf("%s allocates %s times before main, at most %d are expected: make it when it is first used",
				l[1], l[2], limit)
		}
	}
}
