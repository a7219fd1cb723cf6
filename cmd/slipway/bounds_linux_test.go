package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/extent"
)

// Bounds of a command with all programs that it starts.
const (
	mostMemory = 1 << 30
	mostTime   = 10 * time.Second
)

// TestHostile runs commands on inputs that need more memory or time than there is. Each ends within
// the bounds with one line that names the file, and leaves nothing.
func TestHostile(t *testing.T) {
	full := map[string]bool{} // the first of a form that takes time meets the unhurried bound
	for n, h := range extent.Some(hostiles(), 3) {
		stage := []string{"check", "release"}[n%2]
		commands := []string{h.form}
		switch {
		case h.form == "chart" && n%3 > 0:
			commands = []string{"lint"}
		case h.form == "chart":
			commands = []string{"lint", stage}
		case h.form != "check" && h.form != "lint":
			commands = []string{stage}
		}
		for _, command := range commands {
			unhurried := h.slow && !full[h.form] && extent.All()
			full[h.form] = full[h.form] || h.slow
			t.Run(h.form+"/"+h.name+"/"+command, func(t *testing.T) {
				t.Parallel()
				h.run(t, command, unhurried)
			})
		}
	}
}

const hostileProduct = `apiVersion: slipway/v1
name: demo
version: 1.0.0
platforms: [linux/amd64]
sources:
  - {name: here, directory: ., revision: abc, created: 2024-01-01T00:00:00Z}
images:
  - {name: web, source: here, dockerfile: {file: Dockerfile}}
release:
  %s: [{path: app}]
`

// write writes the input, and slipway.yaml for the commands that need it.
func (h hostile) write(t *testing.T, command string) (dir string, args []string) {
	dir = t.TempDir()
	files := map[string]string{"Dockerfile": "FROM scratch\n"}
	for path, text := range h.files {
		if path != "slipway.yaml" {
			path = "app/" + path
		}
		files[path] = text
	}
	key := h.form
	if h.form == "chart" {
		files["app/Chart.yaml"] = "apiVersion: v2\nname: app\nversion: 1.0.0\n"
		key = "helm"
	}
	args = []string{command}
	switch {
	case command == "release":
		args = append(args, "-binary=false")
	case command == "lint" && h.form == "lint":
		args = append(args, "app/a.yaml")
	case command == "lint":
		args = append(args, "app")
	}
	if _, own := h.files["slipway.yaml"]; !own && command != "lint" {
		files["slipway.yaml"] = fmt.Sprintf(hostileProduct, key)
	}
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, args
}

func (h hostile) run(t *testing.T, command string, unhurried bool) {
	dir, args := h.write(t, command)
	temp := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // of a busy machine
	defer cancel()
	cmd := exec.CommandContext(ctx, slipway(t), args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+temp)
	switch {
	case h.slow && !unhurried:
		cmd.Env = append(cmd.Env, hurry+"=500ms")
	case !unhurried:
		cmd.Env = append(cmd.Env, hurry+"=2s")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("it ended with %v, want exit code 1", err)
	}
	text := string(out[:min(len(out), 2000)])
	errs := slices.DeleteFunc(strings.Split(strings.TrimSpace(text), "\n"), func(line string) bool {
		return !strings.HasPrefix(line, "error: ") && !strings.HasPrefix(line, " ")
	})
	if len(errs) != 1 || !strings.Contains(errs[0], h.place) || strings.Contains(text, "goroutine") {
		t.Errorf("it said\n%s\nwant one line about %s", text, h.place)
	}
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if most := u.Maxrss << 10; most > mostMemory {
		t.Errorf("it needed %d MiB", most>>20)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if used > mostTime {
		t.Errorf("it took %s", used)
	}
	if command == "lint" {
		holds(t, temp, nil)
	}
	t.Logf("%d MiB, %s: %s", u.Maxrss>>10, used.Round(time.Millisecond), text)
}
