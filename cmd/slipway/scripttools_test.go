package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

// tools are the programs of a POSIX system, with Go and git, that scripts may start. They have no
// others, so that they run wherever these are: a script that needs more is in testdata/programs.
var tools = strings.Fields(`
	awk base64 basename cat chmod cmp cp cut date dd diff dirname echo env expr false find grep gzip head id ln ls
	mkdir mkfifo mktemp mv od printf pwd readlink rm rmdir sed sh sha256sum sleep sort stat tail tar tee test touch
	tr true uname uniq wc which xargs zcat go git`)

// onlyTools lets scripts find these programs and those of the test itself.
func onlyTools(t *testing.T, p testscript.Params) testscript.Params {
	t.Helper()
	dir := t.TempDir()
	for _, name := range tools {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatalf("scripts need %s: %v", name, err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		own, _, _ := strings.Cut(env.Getenv("PATH"), string(filepath.ListSeparator))
		env.Setenv("PATH", own+string(filepath.ListSeparator)+dir)
		return setup(env)
	}
	return p
}

// get is the program `get URL`, which prints the body of the answer. It fails unless the answer is
// one of success.
func get() {
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if len(os.Args) != 2 {
		fail(errors.New("usage: get URL"))
	}
	resp, err := http.Get(os.Args[1])
	if err != nil {
		fail(err)
	}
	_, err = io.Copy(os.Stdout, resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		fail(err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		os.Exit(1)
	}
	os.Exit(0)
}

// unzstd is the program `unzstd`, which decompresses standard input.
func unzstd() {
	r, err := zstd.NewReader(os.Stdin)
	if err == nil {
		_, err = io.Copy(os.Stdout, r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
