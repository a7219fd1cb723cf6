// Package dockerfiletest sets up Dockerfiles with all they copy from, so that several tests
// evaluate the same ones.
//
// A case is a txtar archive with Dockerfile, the build context under context/, further contexts
// under contexts/NAME/, and base images under images/NAME (see [Image]), and archives tars/NAME
// written the same way, which become context/NAME. The lines before the first file are
// directives:
//
//	platform linux/amd64 windows/amd64:ltsc2022     what to evaluate for; linux/amd64 without it
//	target STAGE
//	arg KEY=VALUE
//	mode 0755 context/x
//	link context/x TARGET                           a symbolic link
//	make context/big 100000                         a file of so many bytes
//	tar context/x.tar.gz DIR                        an archive of a directory of the case: .tar,
//	                                                .tar.gz, .tar.zst, .tar.xz, .tar.bz2
//	program linux_amd64/rebase                      one more of the Go programs in the context "binaries"
//	differs REASON                                  why BuildKit makes something else of it
//
// Every case has the context "binaries" with three small programs.
package dockerfiletest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// Case is a Dockerfile ready to be evaluated for each of its platforms.
type Case struct {
	// Input lacks only the platform.
	Input     containerfile.Input
	Platforms []string
	// Dir has the case on disk: Dockerfile, context, contexts/NAME. Contexts made of single
	// files lie there as directories too.
	Dir string
	// Images are written as in [Image].
	Images map[string][]byte
	// Differs says why BuildKit gives another result; empty where it gives the same.
	Differs string
}

// Load writes a case to a temporary directory.
func Load(tb testing.TB, a *txtar.Archive) *Case {
	tb.Helper()
	dir := tb.TempDir()
	st, err := store.Open(filepath.Join(dir, "store"))
	must(tb, err)
	c := &Case{
		Dir: dir, Platforms: []string{"linux/amd64"}, Images: map[string][]byte{},
		Input: containerfile.Input{
			File: filepath.Join(dir, "Dockerfile"), Context: filepath.Join(dir, "context"),
			Contexts: map[string]containerfile.Context{},
			Args:     map[string]string{}, ModTime: time.Unix(1700000000, 0), Store: st,
		},
	}
	must(tb, os.Mkdir(c.Input.Context, 0o755))
	for _, f := range a.Files {
		switch top, rest, _ := strings.Cut(f.Name, "/"); top {
		case "Dockerfile":
			c.Input.Source = f.Data
			c.write(tb, f.Name, f.Data)
		case "images":
			c.Images[rest] = f.Data
		case "contexts":
			name, _, _ := strings.Cut(rest, "/")
			c.Input.Contexts[name] = containerfile.Context{Dir: filepath.Join(dir, "contexts", name)}
			c.write(tb, f.Name, f.Data)
		case "tars":
			c.write(tb, "context/"+rest, Tar(tb, f.Data))
		case "want":
		default:
			c.write(tb, f.Name, f.Data)
		}
	}
	c.addBinaries(tb)
	for _, line := range strings.Split(string(a.Comment), "\n") {
		if words := strings.Fields(line); len(words) > 0 {
			c.directive(tb, words)
		}
	}
	c.Input.Base = func(_ context.Context, name string, p platform.Platform) (base.Base, error) {
		spec, ok := c.Images[name]
		if !ok {
			return base.Base{}, fmt.Errorf("image %s does not exist", name)
		}
		img := Image(tb, spec, p)
		digest, err := img.Digest()
		return base.Base{Image: img, Info: &base.Info{Name: name, Digest: digest}}, err
	}
	return c
}

func (c *Case) directive(tb testing.TB, words []string) {
	tb.Helper()
	local := func(i int) string { return filepath.Join(c.Dir, filepath.FromSlash(words[i])) }
	switch words[0] {
	case "platform":
		c.Platforms = words[1:]
	case "target":
		c.Input.Target = words[1]
	case "arg":
		k, v, _ := strings.Cut(words[1], "=")
		c.Input.Args[k] = v
	case "mode":
		m, err := strconv.ParseUint(words[1], 8, 32)
		must(tb, err)
		must(tb, os.Chmod(local(2), modeOf(m)))
	case "link":
		must(tb, os.MkdirAll(filepath.Dir(local(1)), 0o755))
		must(tb, os.Symlink(words[2], local(1)))
	case "make":
		n, err := strconv.Atoi(words[2])
		must(tb, err)
		c.write(tb, words[1], bytes.Repeat([]byte{'x'}, n))
	case "tar":
		c.write(tb, words[1], archive(tb, words[1], local(2)))
	case "program":
		c.addProgram(tb, words[1])
	case "differs":
		c.Differs = strings.Join(words[1:], " ")
	default:
		tb.Fatalf("unknown directive %q", words[0])
	}
}

// addBinaries gives the case the Go programs of a product, as build does: single files, which are
// in a directory for BuildKit.
func (c *Case) addBinaries(tb testing.TB) {
	tb.Helper()
	c.Input.Contexts["binaries"] = containerfile.Context{Files: map[string]containerfile.File{}}
	for _, name := range []string{
		"linux_amd64/build-init", "windows_amd64/build-init.exe",
		"windows_amd64/network-wait-launcher.exe",
	} {
		c.addProgram(tb, name)
	}
}

func (c *Case) addProgram(tb testing.TB, name string) {
	tb.Helper()
	c.write(tb, "contexts/binaries/"+name, []byte("program "+name+"\n"))
	p := filepath.Join(c.Dir, "contexts", "binaries", filepath.FromSlash(name))
	must(tb, os.Chmod(p, 0o755))
	content, err := layer.File(c.Input.Store, p)
	must(tb, err)
	c.Input.Contexts["binaries"].Files[name] = containerfile.File{Content: content, Mode: 0o755}
}

func (c *Case) write(tb testing.TB, name string, data []byte) {
	tb.Helper()
	p := filepath.Join(c.Dir, filepath.FromSlash(name))
	must(tb, os.MkdirAll(filepath.Dir(p), 0o755))
	must(tb, os.WriteFile(p, data, 0o644))
	must(tb, os.Chmod(p, 0o644)) // whatever the umask is
}

// modeOf turns Unix permission bits into Go's.
func modeOf(bits uint64) fs.FileMode {
	m := fs.FileMode(bits & 0o777)
	for bit, special := range map[uint64]fs.FileMode{
		0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid,
		0o1000: fs.ModeSticky,
	} {
		if bits&bit != 0 {
			m |= special
		}
	}
	return m
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
