package bundle_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// mountVariable names the directory on which a child of [TestExtractMounted] mounts a file system.
const mountVariable = "SLIPWAY_TEST_MOUNT"

// TestExtractMounted extracts into an empty directory that is a mount point, as a medium is.
func TestExtractMounted(t *testing.T) {
	dir := os.Getenv(mountVariable)
	if dir == "" {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestExtractMounted$", "-test.v")
		child.Env = append(os.Environ(), mountVariable+"="+t.TempDir())
		child.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := child.CombinedOutput()
		if child.ProcessState == nil {
			t.Skip("there are no user namespaces: ", err)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if err := syscall.Mount("none", dir, "tmpfs", 0, ""); err != nil {
		t.Skip("mounting: ", err)
	}
	b := bundletest.OpenDemo(t, 5)
	name := b.Contents().Images[0].Name
	if _, err := b.Extract(t.Context(), name, bundle.ExtractOptions{To: dir}); err != nil {
		t.Fatal(err)
	}
	// Once more, after another one was killed.
	if err := os.Mkdir(filepath.Join(dir, ".slipway-1.tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "index.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Extract(t.Context(), name, bundle.ExtractOptions{To: dir}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"index.json": true, "oci-layout": true, "blobs": true,
		".slipway-1.tmp": false,
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if above, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(above) != 1 {
		t.Errorf("above are %v %v", above, err)
	}
}
