package debian

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// privileged are capabilities that a program gets by its bit of setuid, as drivers of storage run:
// mount.cifs has that bit, and ends where it lacks one of these.
var privileged = []string{
	"CAP_SYS_ADMIN", "CAP_DAC_READ_SEARCH", "CAP_DAC_OVERRIDE", "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP",
}

// contained runs a command in a container of an image, whose files are below root: as the user of
// the image, with its variables, on a root that is read-only, and in the network of this machine.
func contained(t *testing.T, img v1.Image, root string, args ...string) (string, error) {
	t.Helper()
	testprog.Need(t, "mmdebstrap")
	cf, err := img.ConfigFile()
	must(t, err)
	uid, gid := owner(t, root, cf.Config.User)
	env := cf.Config.Env
	if !slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }) {
		env = append(slices.Clone(env), "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	}
	type object = map[string]any
	mount := func(at, kind string) object { return object{"destination": at, "type": kind, "source": kind} }
	text, err := json.Marshal(object{
		"ociVersion": "1.0.2",
		"process": object{
			"user": object{"uid": uid, "gid": gid}, "args": args, "env": env, "cwd": "/",
			"capabilities": object{"bounding": privileged},
		},
		"root":   object{"path": root, "readonly": true},
		"mounts": []object{mount("/proc", "proc"), mount("/dev", "tmpfs")},
		"linux":  object{"namespaces": []object{{"type": "pid"}, {"type": "ipc"}, {"type": "uts"}, {"type": "mount"}}},
	})
	must(t, err)
	bundle := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bundle, "config.json"), text, 0o644))
	cmd := exec.CommandContext(t.Context(), "runc", "--root="+filepath.Join(bundle, "state"), "run", "--bundle="+bundle,
		"slipway-debian-"+filepath.Base(filepath.Dir(bundle)))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// prints checks that a command runs in a container of an image, and prints its version.
func prints(t *testing.T, img v1.Image, root string, args ...string) {
	t.Helper()
	out, err := contained(t, img, root, args...)
	if err != nil || !strings.ContainsAny(out, "0123456789") {
		t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// owner returns the numbers of a user of an image.
func owner(t *testing.T, root, name string) (uid, gid int) {
	t.Helper()
	if name == "" {
		return 0, 0
	}
	f, err := os.Open(filepath.Join(root, "etc", "passwd"))
	must(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if f := strings.Split(lines.Text(), ":"); len(f) > 3 && f[0] == name {
			uid, err := strconv.Atoi(f[2])
			must(t, err)
			gid, err := strconv.Atoi(f[3])
			must(t, err)
			return uid, gid
		}
	}
	t.Fatalf("/etc/passwd of the image has no %s", name)
	return 0, 0
}
