package workflows

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// TestEmptyInputs calls the workflow with a secret and a variable that the repository does not
// have: it ends before anything is planned, and does not release without a signature or a registry.
func TestEmptyInputs(t *testing.T) {
	testprog.Need(t, "act")
	repository := clone(t, "unused")
	for job, want := range map[string]string{
		"key":      "the secret key is empty: give the private key, or unsigned: true to sign nothing",
		"registry": "the input registry is empty: name the registry to push to",
		"both":     "there is a key, and unsigned: true: leave one out",
	} {
		_, out, err := act(t, repository, "empty.yml", "KEY=a-key\n", append(standIns(t, repository), "--job="+job)...)
		if err == nil || !strings.Contains(out, "::error::"+want) || strings.Contains(out, "Run Main Plan") {
			t.Errorf("%s: act: %v, want %s:\n%s", job, err, want, out)
		}
	}
}
