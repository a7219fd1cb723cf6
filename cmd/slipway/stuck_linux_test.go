package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// stuck is a product of one program. Its template takes an instant to evaluate, or
// years if years replaces it.
const stuck = `
-- slipway.yaml --
apiVersion: slipway/v1
name: demo
version: 1.0.0
platforms: [linux/amd64]
sources: [{name: demo, directory: ., revision: abc, created: 2024-01-01T00:00:00Z}]
bases: [{name: static, builtin: static}]
programs: [{name: demo, source: demo, package: .}]
images: [{name: demo, bases: {linux: static}, go: {program: demo}}]
release: {templates: [{path: config}]}
-- go.mod --
module example.com/demo

go 1.26
-- main.go --
package main

func main() {}
-- config/demo.yaml --
apiVersion: v1
kind: Namespace
metadata: {name: demo}
`

const years = `#@ def years():
#@   for i in range(1000000):
#@     for j in range(1000000):
#@     end
#@   end
#@   return "v1"
#@ end
apiVersion: #@ years()
kind: Namespace
metadata: {name: demo}
`

// TestStuck interrupts a release in work that cannot be interrupted. The release must
// still end soon, with one error and without leaving processes.
func TestStuck(t *testing.T) {
	for _, tt := range []struct {
		name    string
		program string // on PATH, ignores an interrupt; it writes its process ID and its child's to the file "started"
		helper  bool   // the registry needs credentials
		stalls  bool   // the registry stalls
		loops   bool   // a template does not end
	}{
		{"a template", "", false, false, true},
		{"the go command", "go", false, false, false},
		{"a credential helper", "docker-credential-hangs", true, false, false},
		{"a registry", "", false, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, bin := t.TempDir(), t.TempDir()
			unpack(t, dir, stuck)
			if tt.loops {
				write(t, filepath.Join(dir, "config", "demo.yaml"), years)
			}
			started := filepath.Join(bin, "started")
			env := []string{
				hurry + "=1h", "DOCKER_CONFIG=" + bin,
				"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
			}
			args := []string{"release", "-binary=false"}
			reached := make(chan struct{}, 100)
			if tt.helper || tt.stalls {
				server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
					reached <- struct{}{}
					<-q.Context().Done()
				}))
				t.Cleanup(server.Close)
				args = append(args, "-registry="+server.Listener.Addr().String())
			}
			if tt.helper {
				write(t, filepath.Join(bin, "config.json"), `{"credsStore":"hangs"}`)
			}
			if tt.program != "" {
				write(t, filepath.Join(bin, tt.program),
					fmt.Sprintf("#!/bin/sh\ntrap '' INT TERM\nsleep 1000000 "+
						"&\necho $$ $! >%[1]s.new\nmv %[1]s.new %[1]s\nwait\n", started))
			}
			p := beginWith(t, env, dir, args...)
			ended := make(chan error, 1)
			go func() { ended <- p.cmd.Wait() }()
			for ready := false; !ready; {
				select {
				case err := <-ended:
					t.Fatalf("it ends by itself: %v\n%s", err, p.log.String())
				case <-reached:
					ready = tt.stalls
				case <-time.After(10 * time.Millisecond):
					_, err := os.Stat(started)
					ready = err == nil || tt.program == "" && !tt.stalls && p.burns()
				}
			}
			p.signal(t, syscall.SIGTERM)
			select {
			case err := <-ended:
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.ExitCode() != 143 {
					t.Errorf("it ends with %v, want exit code 143", err)
				}
			case <-time.After(2 * time.Minute): // far more than it may take, for a busy machine
				t.Fatal("it does not end")
			}
			text := p.log.String()
			if strings.Count(text, "error:") != 1 || !strings.Contains(text, "error: stopped by signal: terminated") {
				t.Errorf("it says\n%s", text)
			}
			for _, file := range []string{"release.yaml", "SHA256SUMS"} {
				if _, err := os.Stat(filepath.Join(dir, "dist", file)); err == nil {
					t.Errorf("there is a %s", file)
				}
			}
			if tt.program != "" {
				over(t, started)
			}
		})
	}
}

// over checks that the processes whose IDs are in a file have ended.
func over(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range strings.Fields(string(text)) {
		n, err := strconv.Atoi(id)
		if err != nil {
			t.Fatal(err)
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", n))
		_, state, _ := bytes.Cut(stat, []byte(") "))
		if err == nil && len(state) > 0 && state[0] != 'Z' && state[0] != 'X' {
			t.Errorf("process %d goes on: %s", n, stat)
			syscall.Kill(n, syscall.SIGKILL) //nolint:errcheck // cleans up
		}
	}
}

// burns reports whether the process, or a child of it, has used 1.5 seconds of CPU time: only the
// template takes so long, in the child that renders.
func (p *process) burns() bool {
	pid := p.cmd.Process.Pid
	all := []string{strconv.Itoa(pid)}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		all = append(all, strings.Fields(string(text))...)
	}
	for _, child := range all {
		text, _ := os.ReadFile("/proc/" + child + "/stat")
		_, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after)
		if len(fields) < 13 {
			continue // it has ended
		}
		if user, _ := strconv.Atoi(fields[11]); user >= 150 { // hundredths of a second
			return true
		}
	}
	return false
}

func unpack(t *testing.T, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, string(f.Data))
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
