package audit_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/slipway-dev/slipway/lint"
)

// charts is whether tests of charts are compiled. With the race detector they are not.
var charts bool

// TestMain fails if there is a rule that no test has found broken.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if all := flag.Lookup("test.run").Value.String(); code == 0 && all == "" {
		for _, r := range lint.IndexRules() {
			if _, ok := occurred.Load(r.ID); !ok && (charts || r.ID != "chart-images") {
				fmt.Fprintf(os.Stderr, "no test has found %s\n", r.ID)
				code = 1
			}
		}
	}
	os.Exit(code)
}
