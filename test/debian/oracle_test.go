package debian

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipway-dev/slipway/internal/testing/cache"
)

// installed unpacks the tree that apt makes of a base by the line of a Dockerfile. It is kept in
// the user's cache as long as base and packages are the same.
func installed(t *testing.T, u upstream, base string, packages []byte, dir string) {
	t.Helper()
	name := fmt.Sprintf("debian/apt-%s-%x", u.name, sha256.Sum256(bytes.Join([][]byte{
		[]byte(base), packages, []byte(u.line),
	}, []byte("\n"))))
	file, err := cache.Program(t.Context(), name, "root.tar", func(_ context.Context, part string) error {
		root := filepath.Join(workDir, "apt-"+u.name)
		f, err := os.Open(base)
		if err != nil {
			return err
		}
		defer f.Close()
		unpacked(t, root, f)
		within(t, root, u.line)
		cmd := exec.CommandContext(t.Context(), "tar", "-C", root, "--numeric-owner", "--xattrs", "--xattrs-include=*",
			"--one-file-system", "-cf", filepath.Join(part, "root.tar"), ".")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		return os.RemoveAll(root)
	})
	must(t, err)
	f, err := os.Open(file)
	must(t, err)
	defer f.Close()
	unpacked(t, dir, f)
}

// within runs a line in a root that has /proc, /dev and the network of this machine, as RUN has.
func within(t *testing.T, root, line string) string {
	t.Helper()
	for _, m := range [][]string{{"-t", "proc", "proc", "/proc"}, {"--bind", "/dev", "/dev"}} {
		at := filepath.Join(root, m[len(m)-1])
		must(t, os.MkdirAll(at, 0o755))
		if out, err := exec.CommandContext(t.Context(), "mount", append(m[:len(m)-1:len(m)-1], at)...).CombinedOutput(); err != nil {
			t.Fatalf("mount: %v\n%s", err, out)
		}
		defer func() {
			if err := syscall.Unmount(at, 0); err != nil {
				t.Errorf("unmounting %s: %v", at, err)
			}
		}()
	}
	resolv := filepath.Join(root, "etc", "resolv.conf")
	had, err := os.ReadFile(resolv)
	if err == nil {
		defer os.WriteFile(resolv, had, 0o644) //nolint:errcheck // the comparison finds it
	} else {
		defer os.Remove(resolv) //nolint:errcheck // the comparison finds it
	}
	own, err := os.ReadFile("/etc/resolv.conf")
	must(t, err)
	must(t, os.WriteFile(resolv, own, 0o644))
	cmd := exec.CommandContext(t.Context(), "chroot", root, "/bin/sh", "-c", line)
	cmd.Env = []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// scanned returns the files below a root: type, mode, owner, target of a link, content, and
// capabilities. What a RUN finds mounted does not count.
func scanned(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(p, root)
		switch rel {
		case "", "/etc/resolv.conf":
			return nil
		case "/proc", "/dev", "/sys":
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		st, _ := info.Sys().(*syscall.Stat_t)
		text := fmt.Sprintf("%s %d:%d", info.Mode(), st.Uid, st.Gid)
		switch info.Mode().Type() {
		case fs.ModeSymlink:
			to, err := os.Readlink(p)
			if err != nil {
				return err
			}
			text = "link " + to
		case 0:
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			b = undated(rel, b)
			sum := sha256.Sum256(b)
			text += fmt.Sprintf(" %d %s", st.Nlink, hex.EncodeToString(sum[:]))
			value := make([]byte, 64)
			if n, err := unix.Lgetxattr(p, "security.capability", value); err == nil {
				text += " " + hex.EncodeToString(value[:n])
			}
		}
		all[rel] = text
		return nil
	}))
	return all
}

// undated is /etc/shadow without the days on which passwords changed: of an image, that of its
// sources.
func undated(p string, b []byte) []byte {
	if p != "/etc/shadow" && p != "/etc/shadow-" {
		return b
	}
	var out strings.Builder
	for l := range strings.Lines(string(b)) {
		f := strings.Split(l, ":")
		if len(f) > 2 {
			f[2] = ""
		}
		out.WriteString(strings.Join(f, ":"))
	}
	return []byte(out.String())
}
