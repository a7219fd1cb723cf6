package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/pkg/namespaces"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// held is what a consumer has after it took something: names with what they name there.
type held map[string]string

// taker is a program or library that takes bundles.
type taker struct {
	name string
	take func(ctx context.Context, path string) (held, error)
	slow bool // asked about what is refused only in a long run and in a sample
}

// patience is how long a consumer may take for a bundle of 20 kB. One that takes longer has
// refused.
const patience = time.Minute

// programs starts the consumers that are programs. What SLIPWAY_WITHOUT names is left out.
func (w *world) programs(t *testing.T) (all []taker) {
	t.Helper()
	has := func(name string) (yes bool) {
		t.Run(name, func(t *testing.T) {
			if consumer.Without(name) {
				t.Skip("SLIPWAY_WITHOUT names it")
			}
			testprog.Need(t, "zstd")
			testprog.Need(t, name)
			yes = true
		})
		return yes
	}
	if has("containerd") {
		socket := testprog.Containerd(t)
		all = append(all, taker{"containerd 1", ctr{"ctr", socket, true}.take, true})
	}
	built := false
	t.Run("containerd2", func(t *testing.T) {
		testprog.Built(t, "containerd", "ctr")
		built = true
	})
	if built {
		socket, program := testprog.Containerd2(t)
		api, err := client.New(socket)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { api.Close() }) //nolint:errcheck // everything was read
		all = slices.Insert(all, 0, taker{"containerd of k3s and RKE2", agent{api}.take, false})
		all = append(all, taker{"containerd 2", ctr{program, socket, false}.take, true})
	}
	if has("podman") {
		dir := t.TempDir()
		p := &loader{program: "podman", options: []string{
			"--root", dir + "/root", "--runroot", dir + "/run", "--storage-driver", "vfs", "--cgroup-manager",
			"cgroupfs", "--events-backend", "none", "--runtime", "runc",
		}}
		all = append(all, taker{"podman", p.take, true})
	}
	if has("docker") {
		d := &loader{program: "docker", options: []string{"-H", "unix://" + testprog.Dockerd(t)}}
		all = append(all, taker{"docker", d.take, true})
	}
	if has("skopeo") {
		all = append(all, taker{"skopeo oci-archive", w.skopeoLayout, true},
			taker{"skopeo docker-archive", w.skopeoDocker, true})
	}
	if has("zstd") {
		all = append(all, taker{"tar", takeTar, false})
	}
	return all
}

// piped runs a program with what zstd decompresses.
func piped(ctx context.Context, path, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, "sh",
		append([]string{"-c", `file=$1; shift; zstd -dcq "$file" 2>/dev/null | "$@"`, "sh", path, program}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return nil
}

func output(ctx context.Context, program string, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	return out, nil
}

// ctr imports into a namespace of its own each time.
type ctr struct {
	program, socket string
	piped           bool
}

// count numbers namespaces.
var count atomic.Int64

func (c ctr) take(ctx context.Context, path string) (held, error) {
	args := []string{"--address", c.socket, "--namespace", fmt.Sprint("n", count.Add(1))}
	load := append(append([]string{}, args...), "images", "import", "--all-platforms", "--no-unpack")
	var err error
	if c.piped {
		err = piped(ctx, path, c.program, append(load, "-")...)
	} else {
		_, err = output(ctx, c.program, append(load, path)...)
	}
	out, listed := output(ctx, c.program, append(args, "images", "ls")...)
	if listed != nil {
		return nil, listed
	}
	h := held{}
	for _, line := range strings.Split(string(out), "\n")[1:] {
		if f := strings.Fields(line); len(f) > 2 {
			h[f[0]] = f[2]
		}
	}
	return h, err
}

// agent imports as the agents of k3s and RKE2 do, which are clients of containerd.
type agent struct{ api *client.Client }

func (a agent) take(ctx context.Context, path string) (held, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	raw, err := decompressed(text)
	if err != nil {
		return nil, err
	}
	ctx = namespaces.WithNamespace(ctx, fmt.Sprint("n", count.Add(1)))
	found, err := a.api.Import(ctx, bytes.NewReader(raw), client.WithAllPlatforms(true), client.WithSkipMissing())
	h := held{}
	for _, i := range found {
		h[i.Name] = i.Target.Digest.String()
	}
	return h, err
}

// loader is docker or podman, which loads one archive at a time.
type loader struct {
	program string
	options []string
	mu      sync.Mutex
}

func (l *loader) take(ctx context.Context, path string) (held, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	failed := piped(ctx, path, l.program, append(append([]string{}, l.options...), "load")...)
	out, err := output(ctx, l.program, append(append([]string{}, l.options...), "images", "--no-trunc",
		"--format", "{{.Repository}}:{{.Tag}} {{.ID}}")...)
	if err != nil {
		return nil, err
	}
	h, ids := held{}, []string{}
	for line := range strings.Lines(string(out)) {
		if name, id, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			ids = append(ids, strings.TrimPrefix(id, "sha256:"))
			if !strings.Contains(name, "<none>") {
				h[name] = strings.TrimPrefix(id, "sha256:")
			}
		}
	}
	if len(ids) > 0 {
		if _, err := output(ctx, l.program,
			append(append(append([]string{}, l.options...), "image", "rm", "--force"), ids...)...); err != nil {
			return nil, err
		}
	}
	return h, failed
}

// skopeoLayout asks for every name that the forger or the maintainer gave an image.
func (w *world) skopeoLayout(ctx context.Context, path string) (held, error) {
	h := held{}
	var last error
	for _, name := range w.names() {
		out, err := output(ctx, "skopeo", "inspect", "--raw", "oci-archive:"+path+":"+name)
		if err != nil {
			last = err
			continue
		}
		h[name] = sum(out)
	}
	return h, last
}

// skopeoDocker reads a bundle as docker-archive.
func (w *world) skopeoDocker(ctx context.Context, path string) (held, error) {
	h := held{}
	var last error
	for _, name := range w.names() {
		out, err := output(ctx, "skopeo", "inspect", "--config", "--raw", "docker-archive:"+path+":"+name)
		if err != nil {
			last = err
			continue
		}
		h[name] = sum(out)
	}
	return h, last
}

// names are the names that forgeries may give an image.
func (w *world) names() []string {
	return []string{w.hello(newDir), w.hello(oldDir), w.hello("latest"), w.other(newDir), w.evilName()}
}

func (w *world) evilName() string { return w.host + "/made/hello/evil:1.0.2" }

// takeTar unpacks with tar, as people do, and reads the files.
func takeTar(ctx context.Context, path string) (held, error) {
	dir, err := os.MkdirTemp("", "slipway-tar-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	err = piped(ctx, path, "tar", "--extract", "--ignore-zeros", "--directory", dir)
	h := held{}
	for _, name := range []string{"index.json", "manifest.json"} {
		text, failed := os.ReadFile(filepath.Join(dir, name))
		if failed == nil {
			h.documents(name, text, func(v any) error { return json.NewDecoder(bytes.NewReader(text)).Decode(v) })
		}
	}
	return h, err
}
