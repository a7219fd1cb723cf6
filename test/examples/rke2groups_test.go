package examples

import (
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	definition "github.com/slipway-dev/slipway/product"
)

// pauseBuilds are the Windows builds of the pause image that RKE2 names, and of its archives.
var pauseBuilds = map[string]string{
	"rke2-windows-1809-amd64-images":     "windows/amd64:10.0.17763.7919",
	"rke2-windows-ltsc2022-amd64-images": "windows/amd64:10.0.20348.4294",
	"rke2-windows-2025-amd64-images":     "windows/amd64:10.0.26100.6899",
}

// fillLists puts an image of each name of the lists into the registry, for each kind of node that
// loads it, and pins all of them.
func fillLists(t *testing.T, p *product, host string) {
	t.Helper()
	t.Setenv("SLIPWAY_REGISTRY", "")
	def, err := definition.Load(t.Context(), definition.Options{Path: filepath.Join(p.dir, "slipway.yaml")})
	must(t, err)
	pushed := map[string]bool{}
	for _, g := range def.Airgap.Groups {
		on := []string{"linux/amd64", "linux/arm64"}
		if g.Name == "vsphere" {
			on = on[:1]
		}
		for _, i := range g.Listed {
			switch {
			case pushed[i.Text]:
			case !strings.HasPrefix(i.Text, host+"/rancher/"):
				t.Fatalf("%s names %s", i.Pos, i.Text)
			case strings.Contains(i.Text, "/mirrored-pause:"):
				push(t, i.Text, slices.Concat(on, slices.Sorted(maps.Values(pauseBuilds))), contents("/pause.exe"))
			default:
				push(t, i.Text, on, contents("/"+path.Base(i.Text)))
			}
			pushed[i.Text] = true
		}
	}
	if said, err := p.run(t.Context(), t, "pin", "images"); err != nil {
		t.Fatalf("slipway pin: %v\n%s", err, said)
	}
}

// groupSizes are the images of each group that RKE2's scripts list at commit 6ce1a8019, for
// docker.io, of both architectures.
var groupSizes = map[string]int{
	"rke2-images-core": 15, "rke2-images-canal": 2, "rke2-images": 17, "rke2-images-ingress-nginx": 2,
	"rke2-images-cilium": 11, "rke2-images-calico": 16, "rke2-images-multus": 6, "rke2-images-harvester": 8,
	"rke2-images-flannel": 2,
}

// bundles looks for the images of each group, the runtime image first where it is, and for the
// pause image of the node's release.
func bundles(t *testing.T, p *product, l *lock.Lock) {
	want := map[string]int{"rke2-images-vsphere.linux-amd64": 9}
	for group, n := range groupSizes {
		want[group+".linux-amd64"], want[group+".linux-arm64"] = n, n
	}
	for name := range pauseBuilds {
		want[name] = 2
	}
	got := map[string]int{}
	sums := p.sums(t)
	for name := range sums {
		if name, ok := strings.CutSuffix(name, ".tar.zst"); ok {
			got[name] = len(repositories(t, p, name, l))
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the bundles have other images (-want +got):\n%s", d)
	}
}

// repositories are those of the images of a bundle: the runtime image has several names in one.
func repositories(t *testing.T, p *product, file string, l *lock.Lock) map[string]bool {
	t.Helper()
	b, err := bundle.Open(filepath.Join(p.out, file+".tar.zst"))
	must(t, err)
	defer func() { must(t, b.Close()) }()
	images := b.Contents().Images
	all := map[string]bool{}
	for n, i := range images {
		included := i.Included()
		if len(included) != 1 {
			t.Errorf("%s: %s is there for %d platforms", file, i.Name, len(included))
			continue
		}
		all[i.Name[:strings.LastIndex(i.Name, ":")]] = true
		runs := included[0].Platform
		switch windows := pauseBuilds[file]; {
		case strings.Contains(i.Name, "/rke2-runtime:"):
			if !platform.Same(runs, b.Contents().Platform) || images[0].Name != l.Images[0].Tagged() {
				t.Errorf("%s: image %d is %s for %s, the first is %s", file, n, i.Name, runs, images[0].Name)
			}
		case windows != "" && runs.String() != windows:
			t.Errorf("%s: %s is for %s, want %s", file, i.Name, runs, windows)
		case windows == "" && !platform.Same(runs, b.Contents().Platform):
			t.Errorf("%s: %s is for %s", file, i.Name, runs)
		}
	}
	return all
}

// lists compares the lists of all images with those of RKE2, in which the runtime image has one
// name, and looks for a list beside each bundle.
func lists(t *testing.T, p *product, registry string) {
	for name, want := range map[string]int{
		"rke2-images-all.linux-amd64": 69, "rke2-images-all.linux-arm64": 60, "rke2-images.windows-amd64": 2,
	} {
		b, err := os.ReadFile(filepath.Join(p.out, name+".txt"))
		must(t, err)
		all := strings.Fields(string(b))
		others := slices.DeleteFunc(slices.Clone(all), func(ref string) bool {
			return strings.HasPrefix(ref, registry+"/rancher/rke2-runtime:")
		})
		if len(others) != want-1 || len(others) == len(all) {
			t.Errorf("%s.txt has %d images, want %d besides the runtime image:\n%s", name, len(others), want-1, b)
		}
	}
	sums := p.sums(t)
	for name := range sums {
		if list, ok := strings.CutSuffix(name, ".tar.zst"); ok && (sums[list+".txt"] == "" || sums[list+".tar.gz"] == "") {
			t.Errorf("SHA256SUMS has %s and no list or .tar.gz of it", name)
		}
	}
}

// loads runs the script for Linux nodes with a program in containerd's place.
func loads(t *testing.T, p *product) {
	machine := map[string]string{"amd64": "linux-amd64", "arm64": "linux-arm64"}[runtime.GOARCH]
	if machine == "" {
		t.Skip("the release has no bundle for this machine")
	}
	ctr := filepath.Join(t.TempDir(), "ctr")
	must(t, os.WriteFile(ctr, []byte("#!/bin/sh\ncat >/dev/null\n"), 0o755))
	cmd := exec.CommandContext(t.Context(), filepath.Join(p.out, "load-images.sh"))
	cmd.Env = append(os.Environ(), "SNAPSHOT=yes", "CTR="+ctr, "ONLY=core cilium")
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("load-images.sh: %v\n%s", err, said)
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^importing (\S+)\.tar\.zst for `).FindAllStringSubmatch(string(said), -1) {
		got = append(got, m[1])
	}
	want := []string{"rke2-images-core." + machine, "rke2-images-cilium." + machine}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("load-images.sh imports (-want +got):\n%s\n%s", d, said)
	}
}
