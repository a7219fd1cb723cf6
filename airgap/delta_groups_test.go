package airgap_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
)

// TestDeltaGroups makes deltas of bundles of groups: their names count in any order, a base of
// others is refused by its groups, and so is a .tar.gz, by which no delta could be applied.
func TestDeltaGroups(t *testing.T) {
	st, l, targets := grouped(t, "linux/amd64")
	both := airgap.Target{Name: "both", Platform: targets[0].Platform, Groups: []string{"core", "more"}}
	dir := t.TempDir()
	_, _, err := airgap.Pack(t.Context(), st, l, []airgap.Target{targets[1], both},
		airgap.PackOptions{Dir: dir, Partial: true, Gzip: true})
	if err != nil {
		t.Fatal(err)
	}
	both.Groups = []string{"more", "core"}
	for base, want := range map[string]string{
		"both.tar.zst": "",
		"core.tar.zst": "core.tar.zst is for linux/amd64, group core, and this release has no such bundle",
		"both.tar.gz":  "use " + filepath.Join(dir, "both.tar.zst") + " of the same release",
	} {
		_, err := airgap.PackDelta(t.Context(), st, l, []airgap.Target{both}, []string{filepath.Join(dir, base)},
			airgap.PackOptions{Dir: t.TempDir(), Partial: true})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", base, err, want)
		}
	}
}
