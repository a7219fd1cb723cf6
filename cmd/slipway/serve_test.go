package main

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/crane"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry"
)

// TestServe makes a release, serves it, and pulls from it as crane does.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/greet")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var out, log strings.Builder
	if code := run([]string{"release", "-binary=false"}, &out, &log); code != 0 {
		t.Fatalf("exit code %d\n%s", code, log.String())
	}
	cmd := exec.Command(slipway(t), "serve", "-q")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	host := bufio.NewScanner(stdout)
	host.Scan()
	l, err := lock.Read(filepath.Join("dist", lock.Name))
	if err != nil {
		t.Fatal(err)
	}
	image := l.Images[0]
	digest, err := crane.Digest(pullName(host.Text(), image), crane.Insecure)
	if err != nil || digest != image.Digest.String() {
		t.Errorf("digest = %s, %v; want %s", digest, err, image.Digest)
	}
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host.Text()+"/v2/", nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Host = "evil.example" // as from a web page whose name resolves to this machine
	if a, err := http.DefaultClient.Do(q); err != nil || a.StatusCode != http.StatusForbidden {
		t.Errorf("for another host: %v, %v", a, err)
	} else {
		a.Body.Close()
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("serve after SIGTERM: %v", err)
	}
}

// slipway returns the path of the command: testscript links the test binary under that
// name into a directory of PATH.
func slipway(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("slipway")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReach(t *testing.T) {
	for at, want := range map[string]struct{ host, warning string }{
		"127.0.0.1:5000":   {"127.0.0.1:5000", ""},
		"[::1]:5000":       {"[::1]:5000", ""},
		"0.0.0.0:5000":     {"localhost:5000", "all interfaces: whoever reaches port 5000"},
		"[::]:5000":        {"localhost:5000", "all interfaces: whoever reaches port 5000"},
		"192.168.1.5:5000": {"192.168.1.5:5000", "listening on 192.168.1.5:5000: whoever reaches it"},
	} {
		addr, err := net.ResolveTCPAddr("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		host, warning := registry.Address(addr)
		if host != want.host || (warning == "") != (want.warning == "") || !strings.Contains(warning, want.warning) {
			t.Errorf("at %s: %s, %q", at, host, warning)
		}
	}
}
