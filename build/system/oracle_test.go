package system

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCertificatesOracle compares what a root's own update-ca-certificates makes of its
// certificates.
func TestCertificatesOracle(t *testing.T) {
	root := os.Getenv("SLIPWAY_CERTIFICATES_ORACLE")
	if root == "" {
		t.Skip("SLIPWAY_CERTIFICATES_ORACLE names no root")
	}
	tr := fromDisk(t, root)
	if err := UpdateCACertificates(context.Background(), &System{Tree: tr}, false); err != nil {
		t.Fatal(err)
	}
	x := exec.Command("/usr/sbin/update-ca-certificates")
	x.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	x.Dir = "/"
	out, err := x.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	after := listing(t, fromDisk(t, root))
	if d := changes(after, listing(t, tr)); d != "" {
		t.Errorf("the trees differ:\n%.3000s", d)
	}
	t.Logf("%s%d files", out, len(after))
}

// TestLdconfigOracle compares the cache of each root in a directory with that of its own ldconfig.
func TestLdconfigOracle(t *testing.T) {
	dir := os.Getenv("SLIPWAY_LDCONFIG_ORACLE")
	if dir == "" {
		t.Skip("SLIPWAY_LDCONFIG_ORACLE names no directory of roots")
	}
	roots, err := filepath.Glob(dir + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range roots {
		if _, err := os.Stat(root + "/sbin/ldconfig"); err != nil {
			continue
		}
		t.Run(filepath.Base(root), func(t *testing.T) {
			tr := fromDisk(t, root)
			if err := Ldconfig(context.Background(), &System{Tree: tr}); err != nil {
				t.Fatal(err)
			}
			argv := []string{root + "/sbin/ldconfig", "-r", root}
			if emulator, err := os.ReadFile(root + ".emulator"); err == nil {
				argv = append([]string{string(bytes.TrimSpace(emulator))}, argv...)
			}
			out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want, err := os.ReadFile(root + "/etc/ld.so.cache")
			if err != nil {
				t.Fatal(err)
			}
			got, err := (&System{Tree: tr}).read("/etc/ld.so.cache")
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the caches differ: %d and %d bytes", len(got), len(want))
			}
			after := fromDisk(t, root)
			a, b := listing(t, tr), listing(t, after)
			delete(b, "/var/cache/ldconfig/aux-cache")
			delete(b, "/etc/ld.so.cache")
			delete(a, "/etc/ld.so.cache")
			delete(a, "/var/cache/ldconfig/aux-cache")
			if d := changes(b, a); d != "" {
				t.Errorf("the trees differ:\n%s", d)
			}
			t.Logf("%d bytes", len(want))
		})
	}
}
