//go:build linux

package sandbox_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipway-dev/slipway/internal/sandbox"
)

// honest is what programs in a box can do.
var honest = []string{"read the tree", "rename results", "run a shell", "write results"}

var version = regexp.MustCompile(`ABI [0-9]+`)

// TestAttack runs a hostile program in boxes of all kinds, on machines that permit less than this
// one does. It can do what honest programs do, and nothing else.
func TestAttack(t *testing.T) {
	a := newAttack(t)
	temp := t.TempDir()
	free := exec.Command(self(t), attackName, encode(t, a))
	free.Env = append(os.Environ(), "TMPDIR="+temp)
	out, err := free.Output()
	unix.Unmount(temp, unix.MNT_DETACH) //nolint:errcheck // root has mounted something there
	if err != nil {
		t.Fatal(err)
	}
	for _, must := range []string{
		"read a file", "read a file by a link", "write a file", "reach tcp", "reach udp", "reach unix",
		"reach abstract", "signal a process", "see a process", "list a directory", "see variables",
	} {
		if !slices.Contains(strings.Split(string(out), "\n"), must) {
			t.Errorf("a program without a box cannot do this, so that the test proves nothing: %s", must)
		}
	}
	here := map[string]bool{
		"namespaces": exec.Command("unshare", "-Urmpinuf", "true").Run() == nil,
		"landlock":   hasLandlock(),
	}
	for _, forbid := range []string{"nothing", "landlock", "namespaces"} {
		t.Run(forbid, func(t *testing.T) {
			has := maps.Clone(here)
			delete(has, forbid)
			want := expected(has)
			o := try(t, trial{Attack: newAttack(t), Mode: sandbox.Auto, Forbid: []string{forbid}})
			if text := version.ReplaceAllString(o.Text, "ABI N"); !want.MatchString(text) || o.Err != "" {
				t.Fatalf("the sandbox is %q, want %q: %s", text, want, o.Err)
			}
			if !has["namespaces"] && !has["landlock"] {
				return // TestLess
			}
			slices.Sort(o.Done)
			if !slices.Equal(o.Done, honest) {
				t.Errorf("it can %q, want %q\n%s", o.Done, honest, o.Said)
			}
		})
	}
}

// expected matches the protection on a machine that has namespaces, Landlock, or neither.
func expected(has map[string]bool) *regexp.Regexp {
	const lacksNamespaces, lacksLandlock = `user namespaces are not permitted here \(.*\)`,
		"the kernel has no Landlock, or it is off"
	switch {
	case has["namespaces"] && has["landlock"]:
		return regexp.MustCompile("^user, mount, PID, IPC, UTS, network namespaces; Landlock ABI N; seccomp$")
	case has["namespaces"]:
		return regexp.MustCompile("^user, mount, PID, IPC, UTS, network namespaces; seccomp: " + lacksLandlock + "$")
	case has["landlock"]:
		return regexp.MustCompile("^Landlock ABI N; seccomp: " + lacksNamespaces + "$")
	}
	return regexp.MustCompile("^seccomp alone, which does not protect files: " + lacksNamespaces +
		", " + lacksLandlock + "$")
}

func hasLandlock() bool {
	_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return errno == 0
}

// TestLess checks what is reported and done where the machine permits neither namespaces nor
// Landlock.
func TestLess(t *testing.T) {
	const lacks = "user namespaces are not permitted here (operation not permitted), " +
		"the kernel has no Landlock, or it is off"
	both := []string{"namespaces", "landlock"}
	o := try(t, trial{Attack: newAttack(t), Mode: sandbox.Require, Forbid: both})
	if !strings.HasPrefix(o.Err, "-sandbox=require: this machine has no sandbox that keeps programs "+
		"from files and from the network: seccomp alone") {
		t.Errorf("the error is %q", o.Err)
	}
	o = try(t, trial{Attack: newAttack(t), Mode: sandbox.Auto, Forbid: both})
	if o.Text != "seccomp alone, which does not protect files: "+lacks {
		t.Errorf("the sandbox is %q", o.Text)
	}
	if slices.ContainsFunc(o.Done, func(s string) bool { return strings.HasPrefix(s, "reach") }) ||
		!slices.Contains(o.Done, "read a file") {
		t.Errorf("it can %q\n%s", o.Done, o.Said)
	}
	o = try(t, trial{Attack: newAttack(t), Mode: sandbox.Off})
	if o.Text != "none: -sandbox=off" || o.Done != nil {
		t.Errorf("the sandbox is %q, and it can %q", o.Text, o.Done)
	}
}

func try(t *testing.T, d trial) (o outcome) {
	t.Helper()
	d.Dir = t.TempDir()
	out, err := exec.Command(self(t), trialName, encode(t, d)).Output()
	if err == nil {
		err = json.Unmarshal(out, &o)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return o
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// newAttack makes what a hostile program would like to reach.
func newAttack(t *testing.T) attack {
	t.Helper()
	home, tree := t.TempDir(), t.TempDir()
	t.Setenv("SLIPWAY_SECRET", "x")
	for _, f := range []string{filepath.Join(home, "id_ed25519"), filepath.Join(tree, "go.mod")} {
		if err := os.WriteFile(f, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sleep := exec.Command("sleep", "600")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		sleep.Process.Kill() //nolint:errcheck // it sleeps
		sleep.Wait()         //nolint:errcheck // it was killed
	})
	a := attack{
		Secret: filepath.Join(home, "id_ed25519"), Place: home, Hidden: home, Tree: tree,
		PID: sleep.Process.Pid,
	}
	listen := func(network, address string) string {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l.Addr().String()
	}
	a.TCP, a.Unix, a.Name = listen("tcp", "127.0.0.1:0"), listen("unix", filepath.Join(home, "s")),
		listen("unix", fmt.Sprintf("@slipway-%d", sleep.Process.Pid))
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() }) //nolint:errcheck // nothing was sent
	a.UDP = l.LocalAddr().String()
	return a
}
