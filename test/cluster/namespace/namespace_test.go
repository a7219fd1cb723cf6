package namespace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// child is set in the environment of the process that TestKilled kills.
const child = "SLIPWAY_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		if err := live(); err != nil {
			fmt.Println(err)
		}
		return
	}
	os.Exit(m.Run())
}

// live starts a program that never ends, prints its ID and waits to be killed.
func live() error {
	n, err := New()
	if err != nil {
		return err
	}
	cmd := exec.Command("tail", "-f", "/dev/null")
	if _, err := n.Start("tail", os.TempDir(), cmd); err != nil {
		return err
	}
	fmt.Println(cmd.Process.Pid)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func open(t *testing.T, addresses ...string) *Namespace {
	t.Helper()
	testprog.Need(t, "cluster")
	n, err := New(addresses...)
	if errors.Is(err, unix.EPERM) {
		testprog.Missing(t, "cluster", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

// TestKilled: what a namespace started ends with the process that has the namespace, although
// that is killed.
func TestKilled(t *testing.T) {
	open(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"=1", "TMPDIR="+t.TempDir())
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the child says %q", line)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("the program does not run: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() //nolint:errcheck // it was killed
	gone := time.NewTimer(5 * time.Minute)
	defer gone.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil ||
			strings.Contains(string(state), ") Z ") {
			return
		}
		select {
		case <-gone.C:
			syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // it fails the test anyway
			t.Fatalf("process %d has outlived its namespace", pid)
		case <-tick.C:
		}
	}
}

// TestClosed: what reaches a namespace while it is closed is done or refused, and what comes
// later is refused.
func TestClosed(t *testing.T) {
	testprog.Need(t, "cluster")
	n, err := New()
	if errors.Is(err, unix.EPERM) {
		testprog.Missing(t, "cluster", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	busy, leave := make(chan struct{}), make(chan struct{})
	var callers sync.WaitGroup
	callers.Go(func() {
		err := n.Do(func() error {
			close(busy)
			<-leave
			return nil
		})
		if err != nil {
			t.Errorf("what was begun before is refused: %v", err)
		}
	})
	<-busy
	var done, refused atomic.Int64
	for range 100 {
		callers.Go(func() {
			// All wait for the thread, or come later.
			if n.Do(func() error { done.Add(1); return nil }) != nil {
				refused.Add(1)
			}
		})
	}
	callers.Go(n.Close)
	close(leave)
	callers.Wait()
	if done.Load()+refused.Load() != 100 {
		t.Errorf("of 100 %d are done and %d refused", done.Load(), refused.Load())
	}
	ran := false
	if err := n.Do(func() error { ran = true; return nil }); err == nil || ran {
		t.Errorf("a closed namespace says %v; what it was to do ran: %v", err, ran)
	}
	if _, err := n.Dial(t.Context(), "tcp", "127.0.0.1:1"); err == nil ||
		!strings.Contains(err.Error(), "the namespace is closed") {
		t.Errorf("dialing in a closed namespace: %v", err)
	}
}

// TestPods: two namespaces have the same port each, their pods reach them and one another, and
// none reaches what is outside.
func TestPods(t *testing.T) {
	for _, text := range []string{"one", "two"} {
		n := open(t, "10.96.0.1/32")
		if err := n.Bridge("192.0.2.1/24"); err != nil {
			t.Fatal(err)
		}
		answer(t, n, "0.0.0.0:443", text)
		var pods []*Namespace
		for _, address := range []string{"192.0.2.10/24", "192.0.2.11/24"} {
			pod, err := n.Pod(address, "192.0.2.1")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(pod.Close)
			answer(t, pod, "0.0.0.0:443", text+" "+address)
			pods = append(pods, pod)
		}
		for _, c := range []struct {
			from     *Namespace
			to, want string
		}{
			{n, "127.0.0.1", text},
			{n, "192.0.2.10", text + " 192.0.2.10/24"},
			{pods[0], "127.0.0.1", text + " 192.0.2.10/24"},
			{pods[0], "192.0.2.11", text + " 192.0.2.11/24"},
			{pods[1], "192.0.2.1", text},
			{pods[1], "10.96.0.1", text},
		} {
			if got := get(t, c.from, c.to); got != c.want {
				t.Errorf("%s answers %q, want %q", c.to, got, c.want)
			}
		}
		if c, err := n.Dial(t.Context(), "tcp", "198.51.100.1:443"); err == nil {
			c.Close()
			t.Error("the namespace reaches an address outside")
		}
	}
}

// answer serves a text at an address of a namespace.
func answer(t *testing.T, n *Namespace, address, text string) {
	t.Helper()
	l, err := n.Listen(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) })}
	go s.Serve(l) //nolint:errcheck // it ends by being closed
	t.Cleanup(func() { s.Close() })
}

func get(t *testing.T, from *Namespace, host string) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DialContext: from.Dial, DisableKeepAlives: true}}
	r, err := client.Get("http://" + host + ":443/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
