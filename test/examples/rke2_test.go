package examples

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

const (
	containerd = "containerd-2.3.4-windows-amd64.tar.gz"
	crictl     = "crictl-v1.36.0-windows-amd64.tar.gz"
	calico     = "calico-windows-v3.32.1.zip"
)

// rke2 is the example with its downloads and images on loopback.
func rke2(t *testing.T) (*product, *downloads, string) {
	t.Helper()
	d := serveDownloads(t, map[string][]byte{
		containerd: tarGz(t, contents("bin/containerd.exe", "bin/containerd-shim-runhcs-v1.exe", "bin/ctr.exe")),
		crictl:     tarGz(t, contents("crictl.exe")),
		calico: zipped(t,
			contents("CalicoWindows/calico-node.exe", "CalicoWindows/cni/calico.exe",
				"CalicoWindows/cni/calico-ipam.exe", "CalicoWindows/confd/conf.d/peerings.toml",
				"CalicoWindows/install-calico.ps1")),
		"kubelet.exe":    []byte("the content of kubelet.exe"),
		"kube-proxy.exe": []byte("the content of kube-proxy.exe"),
	})
	host := registryHost(t)
	p := copied(t, "rke2")
	p.env = []string{"SSL_CERT_DIR=" + d.trust}
	quoted := func(file string) string { return `"` + d.sum(file) + `"` }
	edits := []string{
		"CONTAINERD_SHA256: from containerd-2.3.4-windows-amd64.tar.gz.sha256sum",
		"CONTAINERD_SHA256: " + quoted(containerd) + "\n        GITHUB: " + d.url + "\n        KUBERNETES: " +
			d.url + "/release",
		"from crictl-v1.36.0-windows-amd64.tar.gz.sha256", quoted(crictl),
		"CALICO_SHA256: from SHA256SUMS", "CALICO_SHA256: " + quoted(calico),
		"from kubelet.exe.sha256", quoted("kubelet.exe"),
		"from kube-proxy.exe.sha256", quoted("kube-proxy.exe"),
	}
	linux := []string{"linux/amd64", "linux/arm64"}
	for tag, files := range map[string][]string{
		"rancher/hardened-kubernetes:v1.36.4-rke2r1-build20260821": {"kubectl", "kubelet", "kube-apiserver"},
		"rancher/hardened-containerd:v2.3.4-k3s1.36-build20260819": {"containerd", "containerd-shim-runc-v2", "ctr"},
		"rancher/hardened-crictl:v1.36.0-build20260819":            {"crictl"},
		"rancher/hardened-runc:v1.4.3-build20260819":               {"runc"},
	} {
		edits = append(edits, `"`+tag+`"`, `"`+push(t, host+"/"+tag, linux, below("/usr/local/bin/", files))+`"`)
	}
	const windows = "rancher/hardened-containerd:v2.3.4-k3s1.36-build20260817-amd64-windows"
	edits = append(edits, `"`+windows+`"`,
		`"`+push(t, host+"/"+windows, linux[:1], below("/usr/local/bin/", []string{"containerd.exe", "ctr.exe"}))+`"`)
	p.replace(t, "slipway.yaml", append(edits, "REGISTRY: docker.io", "REGISTRY: "+host)...)
	fillLists(t, p, host)
	return p, d, host + "/cut"
}

func below(dir string, names []string) map[string]string {
	all := map[string]string{}
	for _, n := range names {
		all[dir+n] = "the content of " + n
	}
	return all
}

func TestRKE2(t *testing.T) {
	p, d, registry := rke2(t)
	l := p.release(t, "-registry="+registry)
	t.Run("the names", func(t *testing.T) { platformTags(t, l, registry) })
	t.Run("the runtime image", func(t *testing.T) { runtimeImage(t, l) })
	t.Run("the artifacts", func(t *testing.T) { artifacts(t, p) })
	t.Run("the bundles", func(t *testing.T) { bundles(t, p, l) })
	t.Run("the lists", func(t *testing.T) { lists(t, p, registry) })
	t.Run("what a node loads", func(t *testing.T) { loads(t, p) })
	t.Run("released again it downloads nothing and has the same bytes", func(t *testing.T) {
		before, asked := p.sums(t), d.requests.Load()
		if asked != 5 {
			t.Errorf("five downloads took %d requests", asked)
		}
		p.release(t, "-registry="+registry)
		if diff := cmp.Diff(before, p.sums(t)); diff != "" || d.requests.Load() != asked {
			t.Errorf("%d requests more; the files changed (-before +after):\n%s", d.requests.Load()-asked, diff)
		}
	})
	t.Run("a download that has changed ends it", func(t *testing.T) {
		p.replace(t, "slipway.yaml", d.sum("kubelet.exe"), strings.Repeat("f", 64))
		said, err := p.run(t.Context(), t, "stage", "build", "-registry="+registry)
		if err == nil || !strings.Contains(said, "kubelet.exe") ||
			!strings.Contains(said, "the file has changed, or the checksum is wrong") {
			t.Errorf("slipway build: %v\n%s", err, said)
		}
	})
	t.Run("a snapshot says in the image what it lacks", func(t *testing.T) {
		p := copied(t, "rke2")
		if said, err := p.run(t.Context(), t, "release", "-out="+p.out, "-binary=false",
			"-platforms=linux/arm64"); err != nil {
			t.Fatalf("slipway release: %v\n%s", err, said)
		}
		part, err := lock.ReadPart(filepath.Join(p.out, lock.PartName))
		must(t, err)
		c := part.Images[0].Children[0]
		if len(c.Stubs()) == 0 || len(c.CopiedFrom) != 4 {
			t.Errorf("the image has files of %+v", c.CopiedFrom)
		}
	})
	t.Run("as it stands the example asks for the checksums", func(t *testing.T) {
		said, err := copied(t, "rke2").run(t.Context(), t, "stage", "build", "-platforms=windows")
		if err == nil ||
			!strings.Contains(said, "--checksum=sha256:from crictl-v1.36.0-windows-amd64.tar.gz.sha256 is not sha256: "+
				"and 64 hexadecimal digits") {
			t.Errorf("slipway build: %v\n%s", err, said)
		}
	})
}

// platformTags asks the registry for the names that RKE2 publishes.
func platformTags(t *testing.T, l *lock.Lock, registry string) {
	const version = "v1.36.4-rke2r1"
	child := func(n int) string { return l.Images[0].Children[n].Digest.String() }
	for tag, want := range map[string]string{
		version: l.Images[0].Digest.String(), version + "-linux-amd64": child(0), version + "-linux-arm64": child(1),
		version + "-windows-ltsc2025-amd64": child(2), version + "-windows-ltsc2022-amd64": child(3),
		version + "-windows-ltsc2019-amd64": child(4),
	} {
		ref, err := name.NewTag(registry + "/rancher/rke2-runtime:" + tag)
		must(t, err)
		d, err := remote.Head(ref)
		must(t, err)
		if d.Digest.String() != want {
			t.Errorf("%s is %s, the lock has %s", ref, d.Digest, want)
		}
	}
	ref, err := name.NewTag(registry + "/rancher/rke2-runtime:" + version + "-windows-amd64")
	must(t, err)
	idx, err := remote.Index(ref)
	must(t, err)
	m, err := idx.IndexManifest()
	must(t, err)
	for n, d := range m.Manifests {
		if len(m.Manifests) != 3 || d.Digest.String() != child(2+n) {
			t.Errorf("%s has %s as entry %d of %d", ref, d.Digest, n, len(m.Manifests))
		}
	}
}

func runtimeImage(t *testing.T, l *lock.Lock) {
	ref, err := name.NewDigest(l.Images[0].Reference())
	must(t, err)
	idx, err := remote.Index(ref)
	must(t, err)
	m, err := idx.IndexManifest()
	must(t, err)
	var platforms []string
	var windows []v1.Hash
	for n, desc := range m.Manifests {
		platforms = append(platforms, platform.From(desc.Platform).String())
		img, err := idx.Image(desc.Digest)
		must(t, err)
		cf, err := img.ConfigFile()
		must(t, err)
		if cf.OSVersion != desc.Platform.OSVersion {
			t.Errorf("%s: os.version is %q in the configuration", platforms[n], cf.OSVersion)
		}
		from := len(l.Images[0].Children[n].CopiedFrom)
		want := linuxFiles
		if cf.OS == platform.Windows {
			want = windowsFiles
		}
		if from != map[string]int{"linux": 4, "windows": 1}[cf.OS] {
			t.Errorf("%s: the lock names %d images that files come from", platforms[n], from)
		}
		holds(t, platforms[n], filesOf(t, img), want)
		layers, err := img.Layers()
		must(t, err)
		for k, layer := range layers {
			d, err := layer.Digest()
			must(t, err)
			switch {
			case cf.OS != platform.Windows:
			case k >= len(windows):
				windows = append(windows, d)
			case windows[k] != d:
				t.Errorf("%s: layer %d is another than that of the first Windows release", platforms[n], k)
			}
		}
	}
	want := []string{
		"linux/amd64", "linux/arm64", "windows/amd64:10.0.26100.1", "windows/amd64:10.0.20348.1",
		"windows/amd64:10.0.17763.1",
	}
	if d := cmp.Diff(want, platforms); d != "" {
		t.Errorf("the platforms are (-want +got):\n%s", d)
	}
}

// linuxFiles and windowsFiles are the files of the runtime images.
var (
	linuxFiles = []string{
		"/bin/containerd", "/bin/containerd-shim-runc-v2", "/bin/crictl", "/bin/ctr", "/bin/kubectl",
		"/bin/kubelet", "/bin/runc",
		"/charts/rke2-coredns.yaml",
	}
	windowsFiles = []string{
		"/bin/calico-ipam.exe", "/bin/calico-node.exe", "/bin/calico.exe", "/bin/confd/conf.d/peerings.toml",
		"/bin/containerd-shim-runhcs-v1.exe",
		"/bin/containerd.exe", "/bin/crictl.exe", "/bin/ctr.exe", "/bin/host-local.exe", "/bin/kube-proxy.exe",
		"/bin/kubelet.exe", "/bin/win-overlay.exe",
	}
)

// holds compares an image's files with the names wanted. The content of each names where it comes
// from, but for the CNI plugins, which are programs for Windows.
func holds(t *testing.T, on string, files map[string][]byte, want []string) {
	t.Helper()
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(files))); d != "" {
		t.Errorf("%s: the files are (-want +got):\n%s", on, d)
	}
	for _, f := range want {
		base := filepath.Base(f)
		switch {
		case base == "host-local.exe" || base == "win-overlay.exe":
			if got := machine(files[f]); got != "windows/amd64" {
				t.Errorf("%s: %s is a program for %q", on, f, got)
			}
		case strings.HasSuffix(f, ".yaml"):
		case !bytes.HasPrefix(files[f], []byte("the content of ")) || !bytes.HasSuffix(files[f], []byte(base)):
			t.Errorf("%s: %s holds %q", on, f, files[f])
		}
	}
}

func artifacts(t *testing.T, p *product) {
	sums := p.sums(t)
	for _, tc := range []struct{ os, arch, exe, uninstall string }{
		{"linux", "amd64", "", "bin/rke2-uninstall.sh"},
		{"linux", "arm64", "", "bin/rke2-uninstall.sh"},
		{"windows", "amd64", ".exe", "bin/rke2-uninstall.ps1"},
	} {
		file := "rke2." + tc.os + "-" + tc.arch
		if sums[file+tc.exe] == "" || sums[file+".tar.gz"] == "" {
			t.Errorf("SHA256SUMS lacks %s%s or %s.tar.gz", file, tc.exe, file)
			continue
		}
		program, err := os.ReadFile(filepath.Join(p.out, file+tc.exe))
		must(t, err)
		if got := machine(program); got != tc.os+"/"+tc.arch {
			t.Errorf("%s is a program for %q", file, got)
		}
		held := untar(t, filepath.Join(p.out, file+".tar.gz"))
		if !bytes.Equal(held["bin/rke2"+tc.exe], program) || len(held[tc.uninstall]) == 0 ||
			len(held["share/rke2/LICENSE.txt"]) == 0 {
			t.Errorf("%s.tar.gz holds %v", file, slices.Sorted(maps.Keys(held)))
		}
		if tc.os == runtime.GOOS && tc.arch == runtime.GOARCH {
			out, err := exec.CommandContext(t.Context(), filepath.Join(p.out, file)).Output()
			if want := "rke2 version v1.36.4-rke2r1 (" + tc.os + "/" + tc.arch + ")\n"; err != nil ||
				string(out) != want {
				t.Errorf("%s says %q (%v), want %q", file, out, err, want)
			}
		}
	}
	if sums["release.yaml"] != "" {
		t.Error("a product without templates has a release.yaml")
	}
}

func untar(t *testing.T, file string) map[string][]byte {
	t.Helper()
	f, err := os.Open(file)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	all := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		must(t, err)
		if all[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
