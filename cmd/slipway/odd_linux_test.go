package main

import (
	"context"
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// oddTime is the time of a command that finds a file of another kind than it reads, on a machine
// that is busy. One that opens it waits for ever.
const oddTime = 5 * time.Minute

// atOnce bounds the commands of TestOddFiles.
var atOnce = make(chan struct{}, 2)

// TestOddFiles puts a named pipe, a socket and a device in each place that a command reads, and
// checks that commands name it and end.
func TestOddFiles(t *testing.T) {
	o := newOdd(t)
	for _, place := range oddPlaces {
		for n, args := range place.commands {
			kinds := []string{"pipe"}
			if n == 0 {
				kinds = []string{"pipe", "socket", "device"}
			}
			if n > 0 && !extent.All() {
				continue
			}
			for _, kind := range extent.Some(kinds, 3) {
				t.Run(place.file+"/"+kind+"/"+strings.Fields(args)[0], func(t *testing.T) {
					t.Parallel()
					atOnce <- struct{}{}
					defer func() { <-atOnce }()
					o.run(t, place, kind, args)
				})
			}
		}
	}
}

// oddKinds is what a message may call a file that is of a kind.
var oddKinds = map[string]*regexp.Regexp{
	"pipe":   regexp.MustCompile(`named pipe|not a regular file|neither a directory nor a file|irregular file`),
	"socket": regexp.MustCompile(`a socket|not a regular file|neither a directory nor a file|irregular file`),
	"device": regexp.MustCompile(
		`a device|not a regular file|neither a directory nor a file|leads out of|escapes|irregular file`),
}

// odd is a product and its signed release, which each case copies.
type odd struct {
	dir, registry string
	env           []string
}

func newOdd(t *testing.T) *odd {
	t.Helper()
	registry := httptest.NewServer(registrytest.Handler())
	t.Cleanup(registry.Close)
	o := &odd{dir: t.TempDir(), registry: strings.TrimPrefix(registry.URL, "http://")}
	o.env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "SLIPWAY_PASSWORD=test", "GOFLAGS=-mod=mod",
		"GOPROXY=off")
	archive, err := txtar.ParseFile("testdata/odd.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		put(t, o.dir, f.Name, string(f.Data))
	}
	p := filepath.Join(o.dir, "p")
	put(t, p, "ready/tool", "#!/bin/sh\n")
	for _, args := range []string{"git init -q", "git add -A", "git commit -q -m first"} {
		command(t, p, strings.Fields(args)...)
	}
	for _, args := range []string{
		"keygen ../release",
		"release -q -binary=false -sign=../release.key -registry=REGISTRY/a",
	} {
		if out, err := o.command(t.Context(), o.dir, args).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
	}
	return o
}

// command is slipway in a copy of the product. Its end by the context ends what it has started.
func (o *odd) command(ctx context.Context, dir, args string) *exec.Cmd {
	path, _ := exec.LookPath("slipway")
	cmd := exec.CommandContext(ctx, path, strings.Fields(strings.ReplaceAll(args, "REGISTRY", o.registry))...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = filepath.Join(dir, "p"),
		append(slices.Clone(o.env), "DOCKER_CONFIG="+filepath.Join(dir, "docker"), "HOME="+dir), 5*time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

func (o *odd) run(t *testing.T, place oddPlace, kind, args string) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(o.dir)); err != nil {
		t.Fatal(err)
	}
	if place.bare {
		for _, name := range []string{"slipway.yaml", ".slipway"} {
			if err := os.RemoveAll(filepath.Join(dir, "p", name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := place.file
	if strings.ContainsAny(file, "*") {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil || len(found) == 0 {
			t.Fatalf("there is no %s: %v", file, err)
		}
		for _, f := range found {
			putOdd(t, f, kind)
		}
		file = found[0]
	} else {
		file = filepath.Join(dir, filepath.FromSlash(file))
		putOdd(t, file, kind)
	}
	ctx, cancel := context.WithTimeout(t.Context(), oddTime)
	defer cancel()
	begun := time.Now()
	out, err := o.command(ctx, dir, args).CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("slipway %s waits for %s, which is a %s:\n%s", args, place.file, kind, out)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 && exit.ExitCode() != 2 {
		t.Errorf("slipway %s ends with %v, want exit code 1 or 2", args, err)
	}
	said := func(line string) bool {
		named := strings.Contains(line, filepath.Base(file)) || strings.Contains(place.file, "*") &&
			strings.Contains(line, filepath.Base(filepath.Dir(file)))
		return named && oddKinds[kind].MatchString(line)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if strings.Contains(string(out), "goroutine ") || !slices.ContainsFunc(lines, said) ||
		strings.Count("\n"+string(out), "\nerror: ") != 1 {
		t.Errorf("slipway %s says\n%s\nwant one error: %s is a %s", args, out, place.file, kind)
	}
	t.Logf("slipway %s, %s: %s", args, time.Since(begun).Round(time.Millisecond), out)
}

// putOdd puts a file of a kind in a place.
func putOdd(t *testing.T, file, kind string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(file), os.MkdirAll(filepath.Dir(file), 0o755)); err != nil {
		t.Fatal(err)
	}
	var err error
	switch kind {
	case "pipe":
		err = syscall.Mkfifo(file, 0o600)
	case "device":
		err = os.Symlink("/dev/zero", file)
	case "socket":
		var short string // the path of a socket has a bound
		if short, err = os.MkdirTemp("", "odd"); err == nil {
			defer os.RemoveAll(short)
			var l *net.UnixListener
			if l, err = net.ListenUnix("unix",
				&net.UnixAddr{Name: filepath.Join(short, "s"), Net: "unix"}); err == nil {
				l.SetUnlinkOnClose(false)
				t.Cleanup(func() { l.Close() }) //nolint:errcheck // a socket
				err = os.Rename(filepath.Join(short, "s"), file)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
