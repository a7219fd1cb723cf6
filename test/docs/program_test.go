package docs

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// slipway is the path of the program of this checkout.
func slipway(t *testing.T) string {
	t.Helper()
	path, err := built()
	must(t, err)
	return path
}

var built = sync.OnceValues(func() (string, error) { return testprog.Slipway(context.Background(), temp) })

// temp is a directory for all tests.
var temp string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "slipway-documentation-")
		if err != nil {
			println(err.Error())
			return 1
		}
		defer os.RemoveAll(dir)
		temp = dir
		return m.Run()
	}())
}
