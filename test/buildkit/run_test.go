//go:build linux

package buildkit

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
)

// TestRunSameAsBuildKit lets BuildKit run the lines that Slipway carries out as file operations.
// Their base has the shell and the tools of this machine, which are those of GNU.
func TestRunSameAsBuildKit(t *testing.T) {
	testprog.Need(t, "buildkit")
	buildctl := daemon(t)
	a, err := txtar.ParseFile("testdata/run.txtar")
	must(t, err)
	tools := []string{
		"sh", "bash", "mkdir", "touch", "ln", "cp", "mv", "rm", "rmdir", "chmod", "chown", "chgrp", "tar",
		"gzip", "sha256sum", "cat", "sed", "install", "cut", "grep", "head", "awk", "basename", "dirname",
	}
	small, large := machine(t, "", tools...), []byte(nil)
	archives := archives(t)
	server := serve(t, archives)
	for _, f := range a.Files {
		base := small
		if strings.HasPrefix(f.Name, "download") {
			if large == nil {
				large = machine(t, server.files, append(tools, "curl", "wget", "unzip", "xz")...)
			}
			base = large
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			c := dockerfiletest.Load(t, &txtar.Archive{Files: []txtar.File{
				{Name: "Dockerfile", Data: append([]byte("FROM machine\n"), f.Data...)},
				{Name: "images/machine", Data: base},
				{Name: "context/script", Data: []byte("#!/bin/sh\n")},
				{
					Name: "tars/a.tar",
					Data: []byte("dir 750 7:8 a\nfile 4755 5:6 a/b \"b\"\nlink a/l b\nfile 640 0:0 top \"t\"\n"),
				},
			}})
			for name, b := range archives {
				must(t, os.WriteFile(filepath.Join(c.Input.Context, name), b, 0o644))
			}
			in := c.Input
			in.Client = server.client
			in.Args = map[string]string{"URL": server.url}
			for name, b := range archives {
				in.Args[strings.ToUpper(strings.TrimPrefix(name, "a."))] = fmt.Sprintf("%x", sha256.Sum256(b))
			}
			in.Platform = platform.Platform{OS: platform.Linux, Architecture: "amd64"}
			ours, errOurs := evaluate(t, in, false)
			theirs, errTheirs := build(t, buildctl, c.Dir, standInsOf(t, c.Images, in.Platform), in, false)
			if strings.HasPrefix(f.Name, "fails") {
				if errOurs == nil || errTheirs == nil {
					t.Errorf("it succeeds:\nours: %v\nBuildKit: %v", errOurs, errTheirs)
				}
				return
			}
			must(t, errOurs)
			must(t, errTheirs)
			if diff := cmp.Diff(theirs, ours, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-BuildKit +ours:\n%s", diff)
			}
		})
	}
}

// machine describes an image with a shell, the tools that RUN lines name, their libraries, and
// further files.
func machine(t *testing.T, more string, tools ...string) []byte {
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
	var b strings.Builder
	b.WriteString(`config {"Env":["CURL_CA_BUNDLE=/ca.pem","WGETRC=/wgetrc"]}` + "\nlayer\n")
	dirs := map[string]bool{"dev": true, "proc": true, "sys": true, "etc": true, "base/dir/deep": true, "empty": true}
	for name := range files {
		dirs[filepath.Dir(name)] = true
	}
	for dir := range dirs {
		for up := filepath.Dir(dir); up != "."; up = filepath.Dir(up) {
			fmt.Fprintf(&b, "dir 755 0:0 %s\n", up)
		}
		fmt.Fprintf(&b, "dir 755 0:0 %s\n", dir)
	}
	for name, p := range files {
		content, err := os.ReadFile(p)
		must(t, err)
		fmt.Fprintf(&b, "file 755 0:0 %s %s\n", name, strconv.Quote(string(content)))
	}
	b.WriteString(more + `dir 2775 3:7 shared
file 644 0:0 etc/hosts ""
file 644 0:0 etc/resolv.conf ""
file 644 0:0 etc/passwd "root:x:0:0::/root:/bin/sh\napp:x:1000:1001::/:/bin/sh\n"
file 644 0:0 etc/group "root:x:0:\napp:x:1001:\nusers:x:100:\n"
file 4751 2:3 base/setuid "setuid"
file 640 2:3 base/file "file"
file 600 0:0 base/.hidden "hidden"
file 644 1:1 base/dir/one "one"
file 444 0:0 base/dir/deep/two "two"
link base/link dir/one
link base/dirlink dir
link base/dangling nowhere
layer
file 644 0:0 base/upper "upper"
dir 1777 5:5 base/sticky
`)
	return []byte(b.String())
}
