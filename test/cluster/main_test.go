package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// background is the context of what lives as long as the tests.
var background = context.Background()

// temp is a directory for all tests.
var temp string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if temp, err = os.MkdirTemp("", "slipway-cluster-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(temp)
		return m.Run()
	}())
}

// prepare returns what all tests share: the release, pushed, and the directory of the control
// plane's programs, which `go tool mage cluster` has built by then.
func prepare(t *testing.T) (r *release, programs string) {
	t.Helper()
	testprog.Need(t, "cluster")
	r, err := pushed()
	if errors.Is(err, unix.EPERM) {
		testprog.Missing(t, "cluster", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	programs, err = built()
	if err != nil {
		t.Fatal(err)
	}
	return r, programs
}

var pushed = sync.OnceValues(func() (*release, error) { return open(temp) })

var built = sync.OnceValues(func() (string, error) { return consumer.ControlPlane(background) })
