package docs

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipway-dev/slipway/test/cluster/control"
	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// world is where a machine has the directory of its own.
const world = "/mnt"

// machine is the machine of a reader: this one's programs, with directories of its own wherever
// commands write, a network in which only the hosts of the test are, and their authority as the
// only one that is trusted.
type machine struct {
	*namespace.Namespace
	*net

	dir   string // what is at world
	env   []string
	plane *control.Plane // of the cluster that it is in
}

// newMachine makes a machine in a namespace, which ends with the test. It has slipway and further
// programs by their paths here.
func newMachine(t *testing.T, n *namespace.Namespace, hosts *net, programs ...string) *machine {
	t.Helper()
	m := &machine{Namespace: n, net: hosts, dir: t.TempDir()}
	modules, builds := goEnv(t, "GOMODCACHE"), goEnv(t, "GOCACHE")
	// The go command keeps an index of a module by its version, and a later test has another
	// slipway as v1.0.0: goindex=0.
	m.env = []string{
		"HOME=" + world + "/home", "PATH=" + world + "/bin:" + filepath.Join(goEnv(t, "GOROOT"), "bin") +
			":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"LANG=C.UTF-8", "GOMODCACHE=" + world + "/modules", "GOCACHE=" + world + "/builds", "GOENV=off",
		"GOTELEMETRY=off", "GOTOOLCHAIN=local",
		"GOSUMDB=off", "GODEBUG=goindex=0", "GOFLAGS=-trimpath -buildvcs=false",
	}
	for _, dir := range []string{"bin", "builds", "home", "modules", "work", "layers"} {
		must(t, os.Mkdir(filepath.Join(m.dir, dir), 0o755))
	}
	m.file(t, "home/.gitconfig", "[user]\n\tname = Me\n\temail = me@example.com\n[init]\n\tdefaultBranch "+
		"= main\n[advice]\n\tdetachedHead = false\n")
	m.file(t, "bin/sudo", "#!/bin/sh\nexec env -- \"$@\"\n")
	must(t, os.Chmod(filepath.Join(m.dir, "bin/sudo"), 0o755))
	programs = append(programs, slipway(t))
	for _, p := range programs {
		m.file(t, "bin/"+filepath.Base(p), "")
	}
	must(t, n.Do(func() error {
		errs := []error{mount(m.dir, world, "", unix.MS_BIND)}
		for _, p := range programs {
			errs = append(errs, mount(p, world+"/bin/"+filepath.Base(p), "", unix.MS_BIND))
		}
		return errors.Join(append(errs,
			mount("tmpfs", world+"/layers", "tmpfs", 0),
			overlay("/etc", "/etc"),
			overlay(modules, world+"/modules"),
			mount(builds, world+"/builds", "", unix.MS_BIND),
			mount("tmpfs", "/srv", "tmpfs", 0), mount("tmpfs", "/opt", "tmpfs", 0), mount("tmpfs", "/run", "tmpfs", 0),
			mount("tmpfs", "/tmp", "tmpfs", 0),
			os.Chmod("/tmp", 0o777|os.ModeSticky),
			os.WriteFile("/etc/hosts", []byte(hosts.table()), 0o644),
			os.MkdirAll("/etc/ssl/certs", 0o755),
			os.WriteFile("/etc/ssl/certs/ca-certificates.crt", hosts.authority, 0o644),
		)...)
	}))
	must(t, hosts.listen(t, n))
	return m
}

// overlay mounts a directory at another place, where changes of it stay in the machine.
func overlay(from, at string) error {
	layers := filepath.Join(world, "layers", strings.ReplaceAll(from, "/", "-"))
	upper, work := layers+"/upper", layers+"/work"
	return cmp.Or(os.MkdirAll(upper, 0o755), os.MkdirAll(work, 0o755),
		mountWith("overlay", at, "overlay", fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", from, upper, work)))
}

func mount(from, at, kind string, flags uintptr) error {
	if err := unix.Mount(from, at, kind, flags, ""); err != nil {
		return fmt.Errorf("mounting %s at %s: %w", from, at, err)
	}
	return nil
}

func mountWith(from, at, kind, options string) error {
	if err := unix.Mount(from, at, kind, 0, options); err != nil {
		return fmt.Errorf("mounting %s at %s with %s: %w", from, at, options, err)
	}
	return nil
}

// file writes a file of the machine.
func (m *machine) file(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(m.dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	must(t, err)
	return strings.TrimSpace(string(out))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
