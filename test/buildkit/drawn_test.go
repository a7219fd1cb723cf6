//go:build linux

package buildkit

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
)

var (
	drawnLines = flag.Int("lines", 1500, "how many lines that Slipway carries out are run by dash")
	drawnBuilt = flag.Int("built", 100, "how many of these are built by BuildKit")
	drawnSeed  = flag.Uint64("seed", 1, "of the lines that are drawn")
)

// accounts are the users and groups that lines may name.
const accounts = "dir 755 0:0 etc\nfile 644 0:0 " +
	"etc/passwd \"root:x:0:0::/root:/bin/sh\\napp:x:1000:1001::/:/bin/sh\\n\"\nfile 644 0:0 etc/group " +
	"\"root:x:0:\\napp:x:1001:\\nusers:x:100:\\n\"\n"

// TestDrawn draws lines for RUN and compares what Slipway makes of each with what dash and GNU's
// tools do: the same files, or an error of Slipway. Some of those that it carries out are built by
// BuildKit, too.
func TestDrawn(t *testing.T) {
	testprog.Need(t, "buildkit")
	var g errgroup.Group
	var next, failed atomic.Int64
	var mu sync.Mutex
	carried := map[int]drawn{} // by number
	for range 2 {
		c := newComparison(t)
		g.Go(func() error {
			for failed.Load() < 20 && t.Context().Err() == nil {
				n := int(next.Add(1))
				r := &drawer{Rand: rand.New(rand.NewPCG(*drawnSeed, uint64(n)))}
				line := r.line()
				diff, ok := c.compare(t, line)
				if diff != "" {
					failed.Add(1)
					small, why := c.shrink(t, line, diff)
					t.Errorf("line %d of seed %d:\n%s\nshorter:\n%s\n%s", n, *drawnSeed, line.in("/t"),
						small.in("/t"), why)
				}
				mu.Lock()
				if ok {
					carried[n] = line
				}
				enough := len(carried) >= *drawnLines
				mu.Unlock()
				if enough {
					return nil
				}
			}
			return nil
		})
	}
	must(t, g.Wait())
	t.Logf("%d lines drawn, %d carried out and compared with dash, the others refused", next.Load(), len(carried))
	var build []drawn
	for _, n := range slices.Sorted(maps.Keys(carried))[:min(*drawnBuilt, len(carried))] {
		build = append(build, carried[n])
	}
	if t.Failed() || len(build) == 0 {
		return
	}
	t.Run("buildkit", func(t *testing.T) { drawnInBuildKit(t, build) })
}

// first matches lines that are known as the first of a RUN only.
var first = regexp.MustCompile(`\$\(|\b(set|exit|exec)\b`)

// drawnInBuildKit lets BuildKit run lines, many to a RUN, each in a directory of its own.
func drawnInBuildKit(t *testing.T, lines []drawn) {
	buildctl := daemon(t)
	var tree, file strings.Builder
	tree.WriteString(accounts)
	file.WriteString("FROM machine\n")
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(&file, "ENV %s=%q\n", name, value)
	}
	const together = 50
	in := 0 // lines of the RUN
	end := func() {
		if in > 0 {
			file.WriteString("EOF\n")
		}
		in = 0
	}
	for i, l := range lines {
		dir := fmt.Sprintf("s%d", i)
		tree.WriteString(strings.ReplaceAll(drawnTree, "@", dir))
		line := l.in("/" + dir)
		if first.MatchString(line) {
			end()
			fmt.Fprintf(&file, "WORKDIR /%s\nRUN <<'EOF'\nset -e\n%s\nEOF\n", dir, line)
			continue
		}
		if in == 0 {
			file.WriteString("RUN <<'EOF'\nset -e\n")
		}
		fmt.Fprintf(&file, "cd /%s\n%s\n", dir, line)
		if in++; in == together {
			end()
		}
	}
	end()
	c := dockerfiletest.Load(t, &txtar.Archive{Files: []txtar.File{
		{Name: "Dockerfile", Data: []byte(file.String())},
		{Name: "images/machine", Data: append(machineOf(t, drawnTools...), tree.String()...)},
	}})
	compare(t, buildctl, c, "linux/amd64")
	if t.Failed() {
		t.Logf("the Dockerfile:\n%s", file.String())
	}
}

var drawnTools = []string{
	"sh", "mkdir", "touch", "ln", "cp", "mv", "rm", "rmdir", "chmod", "chown", "chgrp", "install",
	"sed", "cat", "cut", "grep", "head", "awk", "basename", "dirname",
}

// comparison runs lines in a directory that dash takes for the root, and in Slipway.
type comparison struct {
	root    string
	headers []tar.Header
	content map[string][]byte
	base    v1.Image
	before  tree
	in      containerfile.Input
	env     []string
}

func newComparison(t *testing.T) *comparison {
	t.Helper()
	c := &comparison{root: t.TempDir(), content: map[string][]byte{}, before: tree{}, env: []string{"PATH=/bin"}}
	for _, f := range machineFiles(t, drawnTools...) {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(c.root, f.name)), 0o755))
		must(t, os.WriteFile(filepath.Join(c.root, f.name), f.content, 0o755))
	}
	must(t, os.MkdirAll(filepath.Join(c.root, "dev"), 0o755))
	must(t, syscall.Mknod(filepath.Join(c.root, "dev/null"), syscall.S_IFCHR|0o666, 1<<8|3))
	must(t, os.Chmod(filepath.Join(c.root, "dev/null"), 0o666))
	proc := filepath.Join(c.root, "proc") // cp looks there
	must(t, os.Mkdir(proc, 0o755))
	must(t, syscall.Mount("proc", proc, "proc", 0, ""))
	t.Cleanup(func() { must(t, syscall.Unmount(proc, syscall.MNT_DETACH)) })
	text := accounts + strings.ReplaceAll(drawnTree, "@", "t")
	tr := tar.NewReader(bytes.NewReader(dockerfiletest.Tar(t, []byte(text))))
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		c.headers = append(c.headers, *h)
		c.content[h.Name], err = io.ReadAll(tr)
		must(t, err)
	}
	file := "FROM base\n"
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		file += fmt.Sprintf("ENV %s=%q\n", name, value)
		c.env = append(c.env, v)
	}
	k := dockerfiletest.Load(t,
		&txtar.Archive{Files: []txtar.File{{Name: "Dockerfile", Data: []byte(file + "WORKDIR /t\n")}}})
	c.in = k.Input
	c.in.Platform = platform.Platform{OS: platform.Linux, Architecture: "amd64"}
	c.base = dockerfiletest.Image(t, []byte("layer\n"+text), c.in.Platform)
	digest, err := c.base.Digest()
	must(t, err)
	c.in.Base = func(context.Context, string, platform.Platform) (base.Base, error) {
		return base.Base{Image: c.base, Info: &base.Info{Name: "base", Digest: digest}}, nil
	}
	c.before.addImage(t, c.base, false)
	return c
}

// compare returns a difference between what Slipway and dash make of a line, and whether Slipway
// carries it out.
func (c *comparison) compare(t *testing.T, d drawn) (diff string, ok bool) {
	if atRoot.MatchString(d.in("/t")) {
		return "", false
	}
	in := c.in
	in.Source = append(bytes.Clone(in.Source), "RUN "+d.in("/t")+"\n"...)
	r, err := containerfile.Build(t.Context(), in)
	if err != nil {
		return "", false
	}
	ours := maps.Clone(c.before)
	for _, l := range r.Layers {
		ours.addEntries(t, l.Entries, false)
	}
	theirs, said, err := c.dash(t, d.in("/t"))
	if err != nil {
		return fmt.Sprintf("Slipway carries it out, and dash ends with %v: %s", err, said), true
	}
	return cmp.Diff(theirs, ours), true
}

// atRoot matches lines with a pattern that may be for files of the root, where the machine has
// others.
var atRoot = regexp.MustCompile(`(?s)\bcd [^&;]*\.\..*([*?]|\[[a-z]|\$\{?(STAR|V))`)

// shrink returns the shortest line with a difference, and this.
func (c *comparison) shrink(t *testing.T, d drawn, diff string) (drawn, string) {
	for again := true; again; {
		again = false
		for n := range d.commands {
			if len(d.commands) == 1 {
				break
			}
			s := d.without(n)
			if less, _ := c.compare(t, s); less != "" {
				d, diff, again = s, less, true
				break
			}
		}
	}
	return d, diff
}

// dash runs a line, and returns the files afterwards.
func (c *comparison) dash(t *testing.T, line string) (tree, string, error) {
	c.reset(t)
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", line)
	cmd.Path, cmd.Err = "/bin/sh", nil
	cmd.Dir, cmd.Env = "/t", c.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: c.root}
	said, err := cmd.CombinedOutput()
	if err != nil {
		return nil, string(said), err
	}
	found := tree{}
	err = filepath.WalkDir(c.root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := "/" + strings.TrimPrefix(strings.TrimPrefix(p, c.root), "/")
		if name == "/" {
			return nil
		}
		if top := strings.Split(name, "/")[1]; machineDirs[top] {
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		found[name], err = c.describe(p, e)
		return err
	})
	for name, what := range c.before {
		if strings.HasPrefix(name, "/etc") {
			found[name] = what
		}
	}
	return found, "", err
}

// machineDirs are what the machine has for itself.
var machineDirs = map[string]bool{
	"bin": true, "lib": true, "lib64": true, "usr": true, "dev": true,
	"proc": true, "etc": true,
}

func (c *comparison) describe(p string, e fs.DirEntry) (string, error) {
	fi, err := e.Info()
	if err != nil {
		return "", err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("no owner is known")
	}
	mode, uid, gid := int64(st.Mode&0o7777), int(st.Uid), int(st.Gid)
	switch fi.Mode().Type() {
	case fs.ModeDir:
		return describe(false, "dir", mode, uid, gid, ""), nil
	case fs.ModeSymlink:
		link, err := os.Readlink(p)
		return describe(false, "link", 0o777, uid, gid, link), err
	}
	f, err := os.Open(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum, _, err := v1.SHA256(f)
	return describe(false, "file", mode, uid, gid, sum.Hex[:12]), err
}

// reset puts the files into the root that a line finds.
func (c *comparison) reset(t *testing.T) {
	t.Helper()
	list, err := os.ReadDir(c.root)
	must(t, err)
	for _, e := range list {
		if !machineDirs[e.Name()] {
			must(t, os.RemoveAll(filepath.Join(c.root, e.Name())))
		}
	}
	for _, h := range c.headers {
		p := filepath.Join(c.root, h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			if err := os.Mkdir(p, 0o700); !errors.Is(err, fs.ErrExist) {
				must(t, err)
			}
		case tar.TypeSymlink:
			must(t, os.Symlink(h.Linkname, p))
		default:
			must(t, os.WriteFile(p, c.content[h.Name], 0o600))
		}
		must(t, os.Lchown(p, h.Uid, h.Gid))
		if h.Typeflag != tar.TypeSymlink {
			must(t, syscall.Chmod(p, uint32(h.Mode)))
		}
	}
}

// machineFile is a program or a library of this machine.
type machineFile struct {
	name    string
	content []byte
}

// machineFiles returns tools and their libraries.
func machineFiles(t *testing.T, tools ...string) []machineFile {
	t.Helper()
	files := map[string]string{}
	for _, name := range tools {
		p, err := exec.LookPath(name)
		must(t, err)
		files["bin/"+name] = p
		out, err := exec.CommandContext(t.Context(), "ldd", p).Output()
		must(t, err)
		for _, lib := range regexp.MustCompile(`/\S+`).FindAllString(string(out), -1) {
			files[lib[1:]] = lib
		}
	}
	var all []machineFile
	for name, p := range files {
		content, err := os.ReadFile(p)
		must(t, err)
		all = append(all, machineFile{name, content})
	}
	return all
}

// machineOf describes an image with tools and their libraries.
func machineOf(t *testing.T, tools ...string) []byte {
	t.Helper()
	var b, files strings.Builder
	b.WriteString("layer\n")
	dirs := map[string]bool{"dev": true, "proc": true, "sys": true, "etc": true}
	for _, f := range machineFiles(t, tools...) {
		for dir := filepath.Dir(f.name); dir != "."; dir = filepath.Dir(dir) {
			dirs[dir] = true
		}
		fmt.Fprintf(&files, "file 755 0:0 %s %s\n", f.name, strconv.Quote(string(f.content)))
	}
	for dir := range dirs {
		fmt.Fprintf(&b, "dir 755 0:0 %s\n", dir)
	}
	return []byte(b.String() + files.String() + "file 644 0:0 etc/hosts \"\"\nfile 644 0:0 etc/resolv.conf \"\"\n")
}
