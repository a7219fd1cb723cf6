package consumers

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// loader is a program with load, image inspect and run.
type loader struct {
	version string // as the page has it
	program string
	options []string // of the program itself
	run     []string // of run
	plain   bool     // reads plain tar only
}

// TestDockerLoad gives the bundles for this kind of machine to docker load, which keeps images in
// its classic store.
func TestDockerLoad(t *testing.T) {
	t.Parallel()
	testprog.Need(t, "zstd")
	socket := testprog.Dockerd(t)
	loader{
		packaged(t, "docker", "dockerd", "--version"), "docker",
		[]string{"-H", "unix://" + socket},
		[]string{"--network=none"},
		true,
	}.takes(t)
}

// TestDocker29Load gives them to a docker that has both stores.
func TestDocker29Load(t *testing.T) {
	t.Parallel()
	testprog.Need(t, "zstd")
	version := module(t, "docker", programs, "github.com/docker/cli")
	for _, store := range []string{testprog.ClassicStore, testprog.ContainerdStore} {
		t.Run(store, func(t *testing.T) {
			socket, docker := testprog.Dockerd29(t, store)
			loader{
				version + ", " + store + " store", docker,
				[]string{"-H", "unix://" + socket},
				[]string{"--network=none", "--security-opt=seccomp=unconfined"},
				false,
			}.takes(t)
		})
	}
}

// TestPodmanLoad gives them to podman load, which takes the archive for a docker-archive, since
// it has more than one image.
func TestPodmanLoad(t *testing.T) {
	t.Parallel()
	testprog.Need(t, "zstd")
	testprog.Need(t, "podman")
	dir := t.TempDir()
	options := []string{
		"--root", dir + "/root", "--runroot", dir + "/run", "--storage-driver", "vfs",
		"--cgroup-manager", "cgroupfs", "--events-backend", "none", "--runtime", "runc",
	}
	loader{
		packaged(t, "podman", "podman", "--version"), "podman", options,
		[]string{"--network=none", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"},
		true,
	}.takes(t)
}

// takes gives bundles to a program's load, as docs/bundles.md has it, asks it for every name, and
// starts containers.
func (l loader) takes(t *testing.T) {
	t.Helper()
	t.Run("names", l.testNames)
	t.Run("groups", l.testGroups)
	each(t, func(t *testing.T, r release, b packedBundle) {
		if b.platform.IsZero() || b.platform.String() != "linux/amd64" {
			return // the one for all platforms is for registries, the others are for other machines
		}
		l.test(t, r, b, "zstd -dc BUNDLE | "+l.name()+" load", func() (string, error) {
			return pipe(t, b, l.program, l.args("load")...)
		})
		if !l.plain && r.demo {
			l.test(t, r, b, l.name()+" load -i BUNDLE", func() (string, error) {
				return l.say(t.Context(), "load", "-i", b.path)
			})
		}
	})
}

func (l loader) name() string { n, _, _ := strings.Cut(l.version, " "); return n }

func (l loader) args(args ...string) []string { return slices.Concat(l.options, args) }

// say runs the program and returns all that it says.
func (l loader) say(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, l.program, l.args(args...)...).CombinedOutput()
	return string(out), err
}

// id returns the image ID that the program has for a name, or "" if it does not know the name.
func (l loader) id(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(),
		l.program, l.args("image", "inspect", "--format", "{{.Id}}", name)...).Output()
	if err != nil {
		return ""
	}
	return "sha256:" + strings.TrimPrefix(strings.TrimSpace(string(out)), "sha256:")
}

func (l loader) test(t *testing.T, r release, b packedBundle, call string, load func() (string, error)) {
	t.Helper()
	if out, err := load(); err != nil {
		t.Fatalf("%s: %v\n%s", call, err, out)
	}
	var s sight
	for _, i := range r.images(t, b) {
		id := l.id(t, i.name)
		if id == "" {
			t.Errorf("%s does not know %s", l.program, i.name)
		}
		s.name(t, i, b.platform, id, l.id(t, i.repository()+"@"+i.digest.String()))
		if child, ok := i.child(t, b.platform); ok {
			s.has(child.Platform.String())
		}
	}
	for _, run := range r.runs {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		var out string
		var err error
		for range 6 { // the daemon, too, may give up the pipes of one that ends at once: see starts
			out, err = l.say(ctx,
				slices.Concat([]string{"run", "--rm"}, l.run, []string{r.tagged(t, run)}, run.command)...)
			if err != nil || heard(out) {
				break
			}
		}
		if !strings.Contains(out, run.says) {
			t.Errorf("a container of %s does not say %q: %v\n%s", run.image, run.says, err, out)
		}
		s.ran.add(strings.Contains(out, run.says))
	}
	if len(r.runs) > 0 {
		s.record(t, l.version, call, r, b)
	}
	for _, i := range r.images(t, b) { // so that the next load brings what is asked for
		if out, err := l.say(t.Context(), "image", "rm", "--force", i.name); err != nil {
			t.Fatalf("%s\n%s", err, out)
		}
	}
}

// pipe decompresses a bundle into a program's standard input and returns all that the program says.
func pipe(t *testing.T, b packedBundle, program string, args ...string) (string, error) {
	t.Helper()
	zstd := exec.CommandContext(t.Context(), "zstd", "--decompress", "--stdout", "--quiet", b.path)
	tar, err := zstd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdin = tar
	if err := zstd.Start(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	tar.Close()
	if zerr := zstd.Wait(); err == nil && zerr != nil {
		t.Errorf("zstd: %v", zerr)
	}
	return string(out), err
}
