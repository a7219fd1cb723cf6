package node

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// newNamespace is there until the test ends.
func newNamespace(t *testing.T) *namespace.Namespace {
	t.Helper()
	testprog.Need(t, "cluster")
	n, err := namespace.New()
	if errors.Is(err, unix.EPERM) {
		testprog.Missing(t, "cluster", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

// TestStop: the network of a pod stays until the attempt to run it has ended, and Stop waits for
// that.
func TestStop(t *testing.T) {
	n := newNamespace(t)
	if err := n.Bridge("192.0.2.1/24"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	entered, ended := make(chan struct{}), make(chan struct{})
	var failure error
	a := &Agent{
		Net: n, Node: Spec{Name: "linux", Address: "192.0.2.1"}, Dir: t.TempDir(), started: map[types.UID]bool{},
		waiting: map[types.UID]error{},
		Inside: func(_ *corev1.Pod, pod *namespace.Namespace) error {
			defer close(ended)
			close(entered)
			<-ctx.Done()
			for range 1000 {
				failure = errors.Join(failure, pod.Do(func() error { return nil }))
			}
			return ctx.Err()
		},
	}
	a.see(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", UID: "1"}})
	<-entered
	cancel()
	a.Stop()
	select {
	case <-ended:
		if failure != nil {
			t.Errorf("the network was closed before: %v", failure)
		}
	default:
		t.Error("the attempt goes on")
		<-ended
	}
}
