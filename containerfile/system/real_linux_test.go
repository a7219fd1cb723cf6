package system

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/tools/txtar"
	"mvdan.cc/sh/v3/shell"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// TestRealPrograms runs the commands of each scenario by the programs of Debian 12, and compares
// what they change with the file.
func TestRealPrograms(t *testing.T) {
	testprog.Need(t, "passwd")
	if text, err := os.ReadFile("/etc/os-release"); err != nil ||
		!strings.Contains(string(text), "VERSION_CODENAME=bookworm") {
		t.Skip("the scenarios have what the programs of Debian 12 do")
	}
	for name, s := range scenarios(t) {
		t.Run(name, func(t *testing.T) {
			if got := changed(t, realRoot(t), s.files, s.commands); got != s.want {
				t.Errorf("it differs from the file:\n%s", difference(s.want, got))
			}
		})
	}
}

// realRoot makes a root with a shell, the programs of scenarios, and their libraries.
func realRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := errors.Join(os.Chmod(root, 0o755), os.Mkdir(filepath.Join(root, "proc"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"/bin/sh", "/usr/sbin/useradd", "/usr/sbin/groupadd", "/usr/sbin/setcap"} {
		out, err := exec.Command("ldd", p).Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range append(library.FindAllString(string(out), -1), p) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(root, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o755)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// library matches the files in the output of ldd.
var library = regexp.MustCompile(`/lib\S+`)

// changed runs the real programs in a root, and returns what they changed.
func changed(t *testing.T, root string, files []txtar.File, commands []string) string {
	t.Helper()
	writeTo(t, root, fromArchive(t, files), "/")
	before := listing(t, fromDisk(t, root))
	var b strings.Builder
	for _, c := range commands {
		words, err := shell.Fields(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		// useradd sets modes by /proc/self/fd
		x := exec.Command("unshare", append([]string{
			"--mount", "sh", "-c", `root=$1; shift; mount -t proc proc "$root/proc" && exec chroot "$root" "$@"`, "sh", root,
		}, words...)...)
		x.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", fmt.Sprintf("SOURCE_DATE_EPOCH=%d", today*86400+7)}
		var out, errs bytes.Buffer
		x.Stdout, x.Stderr = &out, &errs
		err = x.Run()
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit):
			fmt.Fprintf(&b, "%s: exit %d\n", words[0], exit.ExitCode())
			t.Logf("%s: %s%s", c, out.String(), errs.String())
		case err != nil:
			t.Fatal(err)
		}
	}
	return b.String() + changes(before, listing(t, fromDisk(t, root)))
}

// writeTo writes the files of a tree to the disk.
func writeTo(t *testing.T, root string, tr *tree.Tree, dir string) {
	t.Helper()
	names, err := tr.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		p := path.Join(dir, name)
		if p == "/usr/bin" || p == "/usr/sbin" {
			continue // the root has the real programs
		}
		n, err := tr.Lstat(p)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(root, p)
		switch n.Kind {
		case layer.Dir:
			if err := os.Mkdir(to, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				t.Fatal(err)
			}
			writeTo(t, root, tr, p)
		case layer.Symlink:
			if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if err := os.Symlink(n.Link, to); err != nil {
				t.Fatal(err)
			}
			continue
		default:
			if err := os.WriteFile(to, []byte(textOf(t, n)), 0o644); err != nil { //nolint:gosec // test data
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.Chown(to, n.UID, n.GID), os.Chmod(to, n.Mode)); err != nil {
			t.Fatal(err)
		}
	}
}

// fromDisk makes a tree of a directory, without what is not compared.
func fromDisk(t *testing.T, root string) *tree.Tree {
	t.Helper()
	tr := tree.New(nil)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		rel := strings.TrimPrefix(p, root)
		if slices.Contains([]string{"/proc", "/sys", "/dev", "/tmp", "/run", "/var/log"}, rel) {
			return fs.SkipDir
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		st := fi.Sys().(*syscall.Stat_t)
		n := &tree.Node{Mode: fi.Mode() &^ fs.ModeType, UID: int(st.Uid), GID: int(st.Gid)}
		switch fi.Mode().Type() {
		case fs.ModeDir:
			n.Kind = layer.Dir
		case fs.ModeSymlink:
			n.Kind, n.Mode = layer.Symlink, 0o777
			if n.Link, err = os.Readlink(p); err != nil {
				return err
			}
		case 0:
			n.Content = func() (layer.Content, error) {
				return layer.Content{Size: fi.Size(), Open: func() (io.ReadCloser, error) { return os.Open(p) }}, nil
			}
			n.Capability = xattr(p)
		default:
			return nil
		}
		return tr.Set(rel, n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func xattr(p string) string {
	b := make([]byte, 64)
	n, err := syscall.Getxattr(p, "security.capability", b)
	if err != nil {
		return ""
	}
	return string(b[:n])
}
