package dpkg_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages/dpkg"
	"github.com/slipway-dev/slipway/build/packages/dpkg/deb"
	"github.com/slipway-dev/slipway/build/packages/maintainer"
	"github.com/slipway-dev/slipway/internal/testing/debtest"
	"github.com/slipway-dev/slipway/store"
)

// pair is a tree, and a directory in which the real dpkg does the same.
type pair struct {
	*testing.T
	tree     *tree.Tree
	dir      string // empty without a real dpkg
	arch     string
	archives *tree.Archives
	count    int
}

// newPair makes a system without packages. The real dpkg waits for the disk, and so do others
// meanwhile.
func newPair(t *testing.T) *pair {
	t.Parallel()
	p := &pair{T: t, tree: tree.New(nil), arch: "amd64"}
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p.archives = tree.NewArchives(st, tree.Limits{})
	if version, err := exec.Command("dpkg-query", "-f", "${Version}", "-W", "dpkg").Output(); err == nil && os.Getuid() == 0 &&
		(strings.HasPrefix(string(version), "1.21.") || strings.HasPrefix(string(version), "1.22.")) {
		arch, err := exec.Command("dpkg", "--print-architecture").Output()
		if err != nil {
			t.Fatal(err)
		}
		p.dir, p.arch = t.TempDir(), strings.TrimSpace(string(arch))
		if err := os.Chmod(p.dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.write("/var/lib/dpkg/status", "")
	for _, dir := range []string{"info", "updates", "triggers"} {
		p.mkdir("/var/lib/dpkg/" + dir)
	}
	return p
}

// mkdir makes a directory in both.
func (p *pair) mkdir(name string) {
	p.Helper()
	if err := p.tree.MkdirAll(name, tree.Root); err != nil {
		p.Fatal(err)
	}
	if p.dir != "" {
		if err := os.MkdirAll(p.dir+name, 0o755); err != nil { //nolint:gosec // as in images
			p.Fatal(err)
		}
	}
}

// write writes a file in both.
func (p *pair) write(name, text string) {
	p.Helper()
	p.mkdir(path.Dir(name))
	if err := p.tree.WriteText(name, []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
	if p.dir != "" {
		if err := os.WriteFile(p.dir+name, []byte(text), 0o644); err != nil { //nolint:gosec // as in images
			p.Fatal(err)
		}
	}
}

// link makes a symbolic link in both.
func (p *pair) link(target, name string) {
	p.Helper()
	p.mkdir(path.Dir(name))
	if err := p.tree.Set(name, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: target}); err != nil {
		p.Fatal(err)
	}
	if p.dir != "" {
		if err := os.Symlink(target, p.dir+name); err != nil {
			p.Fatal(err)
		}
	}
}

// erase removes a file in both.
func (p *pair) erase(name string) {
	p.Helper()
	if err := p.tree.Erase(name); err != nil {
		p.Fatal(err)
	}
	if p.dir != "" {
		if err := os.RemoveAll(p.dir + name); err != nil {
			p.Fatal(err)
		}
	}
}

// options are those of the next calls.
type options []string

// install installs packages in one call, and compares.
func (p *pair) install(o options, packages ...debtest.Package) {
	p.Helper()
	var changes []dpkg.Change
	args := []string{"-i"}
	for _, one := range packages {
		b := debtest.Make(one)
		p.count++
		file := filepath.Join(p.TempDir(), fmt.Sprintf("%d.deb", p.count))
		if err := os.WriteFile(file, b, 0o600); err != nil {
			p.Fatal(err)
		}
		d, err := deb.Open(path.Base(file), layer.Bytes(b), deb.Identity{})
		if err != nil {
			p.Fatal(err)
		}
		changes = append(changes, dpkg.Change{Deb: d})
		args = append(args, file)
	}
	p.both(o, changes, args)
}

// remove removes a package, and compares.
func (p *pair) remove(purge bool, names ...string) {
	p.Helper()
	args := []string{"-r"}
	if purge {
		args[0] = "-P"
	}
	var changes []dpkg.Change
	for _, name := range names {
		changes = append(changes, dpkg.Change{Name: name, Purge: purge})
		args = append(args, name)
	}
	p.both(nil, changes, args)
}

// both does the same in both, which both take or both refuse.
func (p *pair) both(o options, changes []dpkg.Change, args []string) {
	p.Helper()
	_, err := dpkg.Install(p.Context(), p.tree, dpkg.Transaction{
		Architecture: p.arch, Changes: changes, Dpkg: true, Archives: p.archives, Options: o,
		Script: func(context.Context, *tree.Tree, maintainer.Script) error { return nil },
	})
	if p.dir == "" {
		if err != nil {
			p.Fatal(err)
		}
		return
	}
	all := append([]string{"--root=" + p.dir, "--log=/dev/null", "--force-not-root", "--force-unsafe-io"}, o...)
	cmd := exec.Command("dpkg", append(all, args...)...) //nolint:gosec // of this test
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"}
	out, realErr := cmd.CombinedOutput()
	if err != nil || realErr != nil {
		p.Fatalf("%v; dpkg: %v: %s", err, realErr, out)
	}
	p.compare()
}

// silent runs checks of dpkg that may not find anything.
func (p *pair) silent(checks ...string) {
	p.Helper()
	for _, check := range checks {
		if p.dir == "" {
			continue
		}
		out, err := exec.Command("dpkg", "--root="+p.dir, check).CombinedOutput() //nolint:gosec // of this test
		if err != nil || len(out) > 0 {
			p.Errorf("dpkg %s: %v: %s", check, err, out)
		}
	}
}

// compare compares the tree with the directory.
func (p *pair) compare() {
	p.Helper()
	seen := map[string]bool{"/": true}
	err := filepath.WalkDir(p.dir, func(at string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := strings.TrimPrefix(at, p.dir); name != "" {
			seen[name] = true
			return p.compareFile(name)
		}
		return nil
	})
	if err != nil {
		p.Fatal(err)
	}
	for name := range p.tree.Nodes {
		if !seen[name] {
			p.Errorf("%s is only in the tree", name)
		}
	}
}

func (p *pair) compareFile(name string) error {
	p.Helper()
	fi, err := os.Lstat(p.dir + name)
	if err != nil {
		return err
	}
	n, err := p.tree.Lstat(name)
	if err != nil {
		return err
	}
	if n == nil {
		p.Errorf("%s is not in the tree", name)
		return nil
	}
	var want string
	kind := layer.Regular
	switch fi.Mode().Type() {
	case fs.ModeDir:
		kind = layer.Dir
	case fs.ModeSymlink:
		kind = layer.Symlink
		want, err = os.Readlink(p.dir + name)
	default:
		var b []byte
		b, err = os.ReadFile(p.dir + name)
		want = string(b)
	}
	if err != nil {
		return err
	}
	const bits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	st := fi.Sys().(*syscall.Stat_t)
	if n.Kind != kind || n.Mode != fi.Mode()&bits || n.UID != int(st.Uid) || n.GID != int(st.Gid) {
		p.Errorf("%s is %v %v %d:%d, not %v %d:%d", name, n.Kind, n.Mode, n.UID, n.GID, fi.Mode(), st.Uid, st.Gid)
		return nil
	}
	got := n.Link
	if kind == layer.Regular {
		b, err := tree.ReadText(p.tree, name)
		if err != nil {
			return err
		}
		got = string(b)
		if n.Hard != (st.Nlink > 1) {
			p.Errorf("%s has several paths: %v, links: %d", name, n.Hard, st.Nlink)
		}
	}
	if got != want {
		p.Errorf("%s is\n%s\nnot\n%s", name, got, want)
	}
	return nil
}
