//go:build linux

package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipway-dev/slipway/internal/sandbox"
)

// attackName makes the test's program a hostile one, which tries all that is in an [attack] and
// prints what it could do.
const attackName = "attack"

func TestMain(m *testing.M) {
	sandbox.Main()
	if len(os.Args) > 2 && os.Args[1] == attackName {
		var a attack
		if err := json.Unmarshal([]byte(os.Args[2]), &a); err != nil {
			panic(err)
		}
		fmt.Println(strings.Join(a.run(), "\n"))
		return
	}
	if len(os.Args) > 2 && os.Args[1] == trialName {
		var d trial
		if err := json.Unmarshal([]byte(os.Args[2]), &d); err != nil {
			panic(err)
		}
		fmt.Println(d.run())
		return
	}
	os.Exit(m.Run())
}

// attack is what a hostile program tries.
type attack struct {
	Secret string // file that it may not read
	Place  string // directory that it may not write
	Hidden string // directory that it may not list
	TCP    string // addresses of listeners of the test
	UDP    string
	Unix   string
	Name   string // abstract
	PID    int    // process that it may not signal
	Tree   string // directory that it may read and not write
}

// run returns what succeeded.
func (a attack) run() (done []string) {
	try := func(what string, do func() error) {
		if err := do(); err == nil {
			done = append(done, what)
		} else {
			fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		}
	}
	try("read a file", func() error { _, err := os.ReadFile(a.Secret); return err })
	try("read a file by a link", func() error {
		link := filepath.Join(os.Getenv("TMPDIR"), "link")
		if err := os.Symlink(a.Secret, link); err != nil {
			return err
		}
		_, err := os.ReadFile(link)
		return err
	})
	try("link to a file", func() error { return os.Link(a.Secret, filepath.Join(os.Getenv("TMPDIR"), "hard")) })
	try("write a file", func() error { return os.WriteFile(filepath.Join(a.Place, "written"), nil, 0o644) })
	try("write into the tree", func() error { return os.WriteFile(filepath.Join(a.Tree, "written"), nil, 0o644) })
	try("remove from the tree", func() error { return os.Remove(filepath.Join(a.Tree, "go.mod")) })
	try("truncate a file", func() error { return os.Truncate(a.Secret, 0) })
	try("list a directory", func() error { _, err := os.ReadDir(a.Hidden); return err })
	for network, address := range map[string]string{"tcp": a.TCP, "udp": a.UDP, "unix": a.Unix, "abstract": a.Name} {
		try("reach "+network, func() error {
			c, err := net.Dial(map[string]string{"abstract": "unix"}[network]+strings.TrimSuffix(network, "abstract"),
				address)
			if err != nil {
				return err
			}
			defer c.Close()
			_, err = c.Write([]byte("x"))
			return err
		})
	}
	try("signal a process", func() error { return syscall.Kill(a.PID, 0) })
	try("see a process", func() error {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(a.PID) + "/cmdline")
		if err == nil && !strings.Contains(string(line), "sleep") {
			err = fmt.Errorf("it is another process: %q", line)
		}
		return err
	})
	try("trace a process", func() error { return syscall.PtraceAttach(a.PID) })
	try("become root elsewhere", func() error { return unix.Unshare(unix.CLONE_NEWUSER | unix.CLONE_NEWNS) })
	try("mount", func() error { return unix.Mount("x", os.Getenv("TMPDIR"), "tmpfs", 0, "") })
	try("write to the terminal", func() error { _, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); return err })
	try("read keys", func() error {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false)
		return err
	})
	try("see variables", func() error {
		if os.Getenv("SLIPWAY_SECRET") == "" {
			return fs.ErrNotExist
		}
		return nil
	})
	// What honest programs do must succeed.
	try("read the tree", func() error { _, err := os.ReadFile(filepath.Join(a.Tree, "go.mod")); return err })
	try("write results", func() error { return os.WriteFile(filepath.Join(os.Getenv("TMPDIR"), "result"), nil, 0o644) })
	try("rename results", func() error {
		dir := filepath.Join(os.Getenv("TMPDIR"), "dir")
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		return os.Rename(filepath.Join(os.Getenv("TMPDIR"), "result"), filepath.Join(dir, "result"))
	})
	try("run a shell", func() error { return exec.Command("sh", "-c", ": >/dev/null").Run() })
	return done
}
