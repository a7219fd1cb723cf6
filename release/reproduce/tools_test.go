package reproduce

import (
	"fmt"
	"go/version"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/evidence/provenance"
)

// TestOldGo refuses toolchains without fixes before any of them runs.
func TestOldGo(t *testing.T) {
	statement := func(version string) *provenance.Statement {
		s := &provenance.Statement{}
		s.Predicate.BuildDefinition.ResolvedDependencies = []provenance.Dependency{{
			URI:         "pkg:golang/golang.org/toolchain@v0.0.1-" + version + ".linux-amd64",
			Annotations: provenance.Annotations{Kind: provenance.KindToolchain},
		}}
		return s
	}
	for version, refused := range map[string]bool{
		"go1.4": true, "go1.21": true, "go1.21.0": true, "go1.24.13": true, "go1.24rc1": true, "go1.25rc1": true,
		"go1.25.0": false, "go1.99.1": false,
	} {
		for _, allowed := range []bool{false, true} {
			t.Run(fmt.Sprint(version, allowed), func(t *testing.T) {
				t.Setenv("GOTOOLCHAIN", "") // nothing is chosen
				t.Setenv("GOPROXY", "off")
				t.Setenv("GOENV", "off")
				err := new(Report).compareTools(t.Context(), statement(version), allowed)
				if got := err != nil && strings.Contains(err.Error(), "-old-go"); got != (refused && !allowed) {
					t.Error(err)
				}
			})
		}
	}
}

// TestOldestGo compares the oldest series that runs without a flag with that of go.mod.
func TestOldestGo(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	series, err := strconv.Atoi(strings.TrimPrefix(version.Lang("go"+f.Go.Version), "go1."))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprint("go1.", series-1); oldestGo != want {
		t.Errorf("oldestGo is %s: Go supports two series, which are %s and the one after", oldestGo, want)
	}
}
