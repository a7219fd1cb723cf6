package verifiers

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
	"github.com/slipway-dev/slipway/internal/testing/consumertable"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// inside is set in the process that runs the tests, to the path of slipway.
const inside = "SLIPWAY_VERIFIERS_SLIPWAY"

// results is what the verifiers said, in docs/policies.md.
var results = &consumertable.Table{
	Name:    "verifiers",
	Columns: []string{"verifier", "call", "index", "Linux manifest", "Windows manifest"},
	Keys:    2,
}

func TestMain(m *testing.M) {
	if os.Getenv(inside) == "" {
		os.Exit(again())
	}
	if err := up("lo"); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	dir, err := os.MkdirTemp("", "slipway-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	workDir = dir
	code := consumertable.Main(m, "../../docs/policies.md", "test/verifiers", results)
	os.RemoveAll(dir)
	os.Exit(code)
}

// workDir has what the tests share: the release, and the data of registries.
var workDir string

// again builds what needs a network, and runs this program again where there is none.
func again() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "slipway-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	slipway, err := build(ctx, dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	cmd := exec.CommandContext(ctx, os.Args[0], os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), inside+"="+slipway)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if id := os.Geteuid(); id != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "error: the tests without a network:", err)
		return 1
	}
	return 0
}

// build builds slipway, and the programs of consumers that are not left out.
func build(ctx context.Context, dir string) (slipway string, err error) {
	if slipway, err = testprog.Slipway(ctx, dir); err != nil {
		return "", err
	}
	for _, name := range []string{"cosign", "imagepolicy", "kyverno"} {
		c, _ := consumer.Find(name)
		for _, program := range c.Built {
			if consumer.Without(name) {
				continue
			}
			if _, err := c.Build(ctx, program); err != nil {
				return "", err
			}
		}
	}
	if c, _ := consumer.Find("node"); !consumer.Without("node") && c.Lacking() == "" {
		if _, err := modules(ctx); err != nil {
			return "", err
		}
	}
	return slipway, nil
}

// up makes an interface of this namespace usable.
func up(name string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening a socket: %w", err)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	r, err := unix.NewIfreq(name)
	if err != nil {
		return err
	}
	r.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r); err != nil {
		return fmt.Errorf("setting %s up: %w", name, err)
	}
	return nil
}

// TestNoNetwork: nothing that the tests run can reach another machine.
func TestNoNetwork(t *testing.T) {
	all, err := net.Interfaces()
	if err != nil || len(all) != 1 || all[0].Flags&net.FlagLoopback == 0 {
		t.Errorf("the interfaces are %v; %v", all, err)
	}
	var d net.Dialer
	if c, err := d.DialContext(t.Context(), "tcp", "192.0.2.1:443"); err == nil {
		c.Close()
		t.Error("192.0.2.1 answers")
	}
}
