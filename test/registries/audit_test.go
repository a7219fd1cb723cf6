package registries

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/indextest"
)

// audited are the registries that take indexes whatever they lack, as most in the world do.
var audited = map[string]func(t *testing.T) software{
	"distribution 3": lenient3,
	"Debian":         func(t *testing.T) software { return debian(t, false) },
}

// TestAudit puts an index with each fault into each registry, and indexes without one: every
// fault is found there, and nothing else.
func TestAudit(t *testing.T) {
	for called, start := range audited {
		t.Run(called, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			for _, tc := range indextest.Cases {
				ref, err := name.NewTag(r.host + "/" + tc.Name + ":1.0.0")
				if err != nil {
					t.Fatal(err)
				}
				if err := remote.WriteIndex(ref, indextest.Index(t, tc.Entries...)); err != nil {
					t.Fatalf("%s: %v", tc.Name, err)
				}
				if diff := cmp.Diff(tc.Want, findings(t, ref)); diff != "" {
					t.Errorf("%s (-want +got): %s", tc.Name, diff)
				}
			}
		})
	}
}

// findings returns what the command finds in an image: severity, path and rule.
func findings(t *testing.T, ref name.Tag) (all []string) {
	t.Helper()
	program, err := slipway()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, "audit", "-json", ref.String()).Output()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	var report struct {
		Findings []struct{ Severity, Path, Rule string }
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, f := range report.Findings {
		all = append(all, strings.Join(strings.Fields(f.Severity+" "+f.Path+" "+f.Rule), " "))
	}
	return all
}
