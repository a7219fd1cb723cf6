package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// evilScript is what the go command runs instead of compilers, by -toolexec. It says what it could
// do, and then compiles nothing.
const evilScript = `case "$*" in *-V=full*) exec "$@";; esac
exec >&2
echo "it was run"
grep -q hunter2 SECRET/key && echo "it could read"
echo x >SECRET/written && echo "it could write"
echo x >GOCACHE/written && echo "it could write to the build cache"
bash -c "exec 3<>/dev/tcp/HOST/PORT" && echo "it could connect"
grep -q sleep /proc/PID/cmdline && echo "it could see"
kill -0 PID && echo "it could signal"
test -n "$REGISTRY_PASSWORD" && echo "it could know"
ls $HOME/.docker && echo "it could use HOME"
exit 1`

var could = regexp.MustCompile(`it could .*`)

// deeds returns what the script could do, each once.
func deeds(out string) []string {
	all := could.FindAllString(out, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// TestHostileCompiler reproduces a release, and builds a shard of one, that names programs to
// run: they can do all that the user can, unless they are in a sandbox, where they can do
// nothing.
func TestHostileCompiler(t *testing.T) {
	top := t.TempDir()
	e := newEnemy(t, top)
	inDir := func(args ...string) func(string) []string {
		return func(mode string) []string { return append(args, "-sandbox="+mode) }
	}
	for name, args := range map[string]func(mode string) []string{
		"reproduce": inDir("reproduce", "-q", "-allow-commands", e.release(t, "dist")),
		"plan": inDir("release", "-q", "-binary=false", "-plan="+e.plan(t),
			"-shard=0", "-out="+filepath.Join(top, "part")),
	} {
		out, err := e.run(nil, args("off"))
		want := strings.Count(evilScript, "it could")
		if _, err := exec.LookPath("bash"); err != nil {
			want-- // nothing connects: sh has no /dev/tcp
		}
		if got := deeds(out); err == nil || len(got) != want {
			t.Errorf("%s: without a sandbox the hostile program could do only %q, "+
				"so that the test proves nothing: %v\n%s", name, got, err, out)
		}
		if name == "plan" { // the directory that it wrote to has other modes by now
			os.RemoveAll(filepath.Join(top, "part"))
		}
		os.RemoveAll(filepath.Join(e.home, "written"))
		for _, around := range [][]string{nil, withoutNamespaces()} {
			out, err := e.run(around, args("require"))
			if got := deeds(out); err == nil || got != nil || !strings.Contains(out, "it was run") {
				t.Errorf("%s in a sandbox, by %q: %q, %v\n%s", name, around, got, err, out)
			}
			if _, err := os.Stat(filepath.Join(e.home, "written")); err == nil {
				t.Errorf("%s by %q: the hostile program has written", name, around)
			}
		}
	}
}

// withoutNamespaces makes a command one whose system refuses it more namespaces. Where the system
// permits none, such as in a chroot, it makes nothing of it.
func withoutNamespaces() []string {
	if exec.Command("unshare", "-Ur", "true").Run() != nil {
		return nil
	}
	return []string{
		"unshare", "-Ur",
		"sh", "-c", `echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"`, "sh",
	}
}

// TestSandboxLess reproduces a release on a machine that permits no namespaces: it is the same,
// and the protection is reported.
func TestSandboxLess(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "slipway.yaml", strings.Replace(demoProgram, ", FLAGS", "", 1))
	put(t, dir, "main.go", "package main\n\nfunc main() {}\n")
	put(t, dir, "go.mod", "module example.com/demo\n\ngo 1.26\n")
	command(t, dir, slipway(t), "release", "-q", "-binary=false")
	e := &enemy{dir: dir, slipway: slipway(t)}
	out, err := e.run(withoutNamespaces(), []string{"reproduce", "dist"})
	said := regexp.MustCompile(
		`\nsandbox: (Landlock ABI [0-9]+; seccomp|seccomp alone, which does not protect files): user namespaces are not permitted here \((no space left on device|operation not permitted)\)`)
	if err != nil || !said.MatchString(out) || !strings.Contains(out, "demo 1.0.0: 2 of 2 subjects are the same") {
		t.Errorf("without namespaces: %v\n%s", err, out)
	}
	if out, err := e.run(nil, []string{"release", "-sandbox=require", "-q"}); err == nil ||
		!strings.Contains(out, "error: -sandbox has no effect without -plan") {
		t.Errorf("a release of one's own in a sandbox: %v\n%s", err, out)
	}
	if out, err := e.run(nil, []string{"reproduce", "-sandbox=yes", "dist"}); err == nil ||
		!strings.Contains(out, "write auto, require or off") {
		t.Errorf("-sandbox=yes: %v\n%s", err, out)
	}
}

// enemy is a product whose compiler is a hostile program.
type enemy struct {
	dir, home, slipway string
	flags              string
	env                []string
}

func newEnemy(t *testing.T, top string) *enemy {
	t.Helper()
	e := &enemy{dir: filepath.Join(top, "work"), home: filepath.Join(top, "home"), slipway: slipway(t)}
	put(t, e.home, "key", "hunter2\n")
	put(t, e.home, ".docker/config.json", "{}\n")
	put(t, e.dir, "empty", "")
	e.env = append(os.Environ(), "HOME="+e.home, "REGISTRY_PASSWORD=hunter2",
		"GOPROXY=off", "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	sleep := exec.Command("sleep", "600")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		sleep.Process.Kill() //nolint:errcheck // it sleeps
		sleep.Wait()         //nolint:errcheck // it was killed
	})
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	// Nothing but what this test has made is written to.
	script := strings.NewReplacer("SECRET", e.home, "GOCACHE", e.home, "HOST", host, "PORT", port,
		"PID", fmt.Sprint(sleep.Process.Pid)).Replace(evilScript)
	flag, err := json.Marshal("-toolexec=sh -c '" + script + "' sh")
	if err != nil {
		t.Fatal(err)
	}
	e.flags = "flags: [" + string(flag) + "]"
	return e
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func (e *enemy) files() map[string]string {
	return map[string]string{
		"slipway.yaml": strings.Replace(demoProgram, "FLAGS", e.flags, 1),
		"main.go":      "package main\n\nfunc main() {}\n", "go.mod": "module example.com/demo\n\ngo 1.26\n",
	}
}

// release forges a release whose inputs have the program, and returns its directory.
func (e *enemy) release(t *testing.T, name string) string {
	t.Helper()
	dist := filepath.Join(e.dir, name)
	if err := os.CopyFS(dist, os.DirFS(goodRelease(t))); err != nil {
		t.Fatal(err)
	}
	inputs := map[string]string{}
	for name, text := range e.files() {
		inputs["product/"+name] = text
	}
	forgeRelease(t, dist, inputs, func(map[string]any) {})
	return dist
}

// plan puts a plan with the program into a registry, and returns its reference.
func (e *enemy) plan(t *testing.T) string {
	t.Helper()
	clone := t.TempDir()
	for name, text := range e.files() {
		put(t, clone, name, text)
	}
	registry := httptest.NewServer(registrytest.Handler())
	t.Cleanup(registry.Close)
	cmd := exec.Command(e.slipway, "plan", "-q",
		"-push", "-shards=1", "-registry="+strings.TrimPrefix(registry.URL, "http://")+"/demo")
	cmd.Dir, cmd.Env = clone, e.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// run runs slipway by the command around it.
func (e *enemy) run(around, args []string) (string, error) {
	line := append(append(append([]string{}, around...), e.slipway), args...)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env = e.dir, e.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}
