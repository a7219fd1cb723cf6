package windows

import (
	"fmt"
	"os"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/wine"
)

// TestMain takes the drive away on which programs ran.
func TestMain(m *testing.M) {
	code := m.Run()
	if err := wine.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// drive is where Windows programs run.
type drive struct{ wine.Drive }

func newDrive(t *testing.T) drive {
	t.Helper()
	return drive{wine.New(t)}
}
