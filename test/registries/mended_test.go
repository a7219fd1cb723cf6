package registries

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/consumertable"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// mended are indexes of the shapes of published ones, in docs/results/audit-proof.md.
var mended = &consumertable.Table{
	Name: "mended", Page: auditProof, Keys: 2, Columns: []string{"shape", "pulled by", "from the mended index"},
}

// shapes are published indexes that were broken, by their names in indextest.
var shapes = []string{"dapr", "gcp-pd-1953", "rancher-46559", "rke2-2025", "containerd-11366"}

// puller is a program that pulls an image and tells its ID.
type puller struct {
	program string // with its version
	pull    func(t *testing.T, ref string) (id string)
}

// TestMendedPulls mends each shape, and lets docker and podman pull it: they get the image for
// Linux and this architecture.
func TestMendedPulls(t *testing.T) {
	host := distribution3(t, false, false).host
	for _, by := range pullers(t) {
		for _, shape := range shapes {
			t.Run(by.program+" "+shape, func(t *testing.T) {
				ref, err := name.NewTag(fmt.Sprintf("%s/%s:1.0.0", host, shape))
				must(t, err)
				n := slices.IndexFunc(indextest.Cases, func(c indextest.Case) bool { return c.Name == shape })
				i := indextest.Index(t, append(slices.Clone(indextest.Cases[n].Entries), alike(shape))...)
				must(t, remote.WriteIndex(ref, i))
				done, err := audit.NewReader(network.Options{Jobs: 4}).Fix(t.Context(), ref.String(),
					audit.Fix{To: ref.Context(), Tag: "mended-" + strings.Fields(by.program)[1], Move: true})
				must(t, err)
				if len(done.Changes) == 0 {
					t.Fatal("nothing was mended")
				}
				on := "linux/" + runtime.GOARCH
				if got, want := by.pull(t, done.To), configOf(t, ref, done.After, on); got != want {
					t.Errorf("it pulls %s, not %s", got, want)
				}
				mended.Record(t, shape, by.program, "the image for Linux")
			})
		}
	}
}

// alike is an entry for another architecture, in the form of a shape's manifests.
func alike(shape string) string {
	if shape == "gcp-pd-1953" || shape == "rancher-46559" {
		return "docker linux/s390x"
	}
	return "linux/arm64"
}

// configOf returns the configuration's digest of an index's image for a platform.
func configOf(t *testing.T, ref name.Tag, index v1.Hash, on string) string {
	t.Helper()
	i, err := remote.Index(ref.Context().Digest(index.String()))
	must(t, err)
	m, err := i.IndexManifest()
	must(t, err)
	for _, d := range m.Manifests {
		if d.Platform.OS+"/"+d.Platform.Architecture == on {
			img, err := i.Image(d.Digest)
			must(t, err)
			h, err := img.ConfigName()
			must(t, err)
			return h.String()
		}
	}
	t.Fatalf("%s has no image for %s", index, on)
	return ""
}

// pullers are the programs that pull images here.
func pullers(t *testing.T) (all []puller) {
	t.Helper()
	docker := func(program, socket string) func(t *testing.T, ref string) string {
		return func(t *testing.T, ref string) string {
			t.Helper()
			testprog.Run(t, program, "-H", "unix://"+socket, "pull", "--quiet", ref)
			return strings.TrimSpace(testprog.Run(t, program, "-H", "unix://"+socket, "image", "inspect", "--format",
				"{{.Id}}", ref))
		}
	}
	all = append(all, puller{
		consumertable.Packaged("docker", testprog.Run(t, "dockerd", "--version")), docker("docker", testprog.Dockerd(t)),
	})
	socket, program := testprog.Dockerd29(t, testprog.ClassicStore)
	all = append(all, puller{required(t, "docker", "../programs/go.mod", "github.com/docker/cli"), docker(program, socket)})
	testprog.Need(t, "podman")
	dir, err := os.MkdirTemp("", "sp") // its path may not be long
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	podman := []string{
		"--root", dir + "/root", "--runroot", dir + "/run", "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs",
		"--events-backend", "none",
	}
	return append(all, puller{
		consumertable.Packaged("podman", testprog.Run(t, "podman", "--version")),
		func(t *testing.T, ref string) string {
			t.Helper()
			testprog.Run(t, "podman", slices.Concat(podman, []string{"pull", "--quiet", "--tls-verify=false", ref})...)
			return "sha256:" + strings.TrimSpace(testprog.Run(t, "podman", slices.Concat(podman, []string{
				"image", "inspect", "--format", "{{.Id}}", ref,
			})...))
		},
	})
}
