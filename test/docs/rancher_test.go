package docs

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/product"
)

// rancher is what examples/rke2 takes from others: images, and downloads, whose files say
// what they are. The downloads are in the product's directory, too, where a reader has got their
// checksums from.
func rancher(t *testing.T, m *machine) {
	t.Helper()
	m.hosts["dl.k8s.io"] = http.FileServer(http.Dir(filepath.Join(m.dir, "dl")))
	both := []v1.Platform{linux, {OS: "linux", Architecture: "arm64"}}
	pushLists(t, m, both)
	for ref, programs := range map[string][]string{
		"hardened-kubernetes:v1.36.4-rke2r1-build20260821": {"kubectl", "kubelet", "kube-apiserver"},
		"hardened-containerd:v2.3.4-k3s1.36-build20260819": {"containerd", "containerd-shim-runc-v2", "ctr"},
		"hardened-crictl:v1.36.0-build20260819":            {"crictl"},
		"hardened-runc:v1.4.3-build20260819":               {"runc"},
	} {
		m.push(t, "index.docker.io/rancher/"+ref, both, below("usr/local/bin", programs)...)
	}
	m.push(t, "index.docker.io/rancher/hardened-containerd:v2.3.4-k3s1.36-build20260817-amd64-windows",
		both[:1], below("usr/local/bin", []string{"containerd.exe", "ctr.exe"})...)
	for variable, d := range map[string]struct{ at, text string }{
		"CONTAINERD_SHA256": {
			"github/containerd/containerd/releases/download/v2.3.4/containerd-2.3.4-windows-amd64.tar.gz",
			gzipped(t, "bin/containerd.exe", "bin/containerd-shim-runhcs-v1.exe", "bin/ctr.exe"),
		},
		"CRICTL_SHA256": {
			"github/kubernetes-sigs/cri-tools/releases/download/v1.36.0/crictl-v1.36.0-windows-amd64.tar.gz",
			gzipped(t, "crictl.exe"),
		},
		"CALICO_SHA256": {
			"github/projectcalico/calico/releases/download/v3.32.1/calico-windows-v3.32.1.zip",
			zipped(t, "CalicoWindows/calico-node.exe", "CalicoWindows/cni/calico.exe",
				"CalicoWindows/cni/calico-ipam.exe", "CalicoWindows/confd/conf.d/peerings.toml"),
		},
		"KUBELET_SHA256":    {"dl/release/v1.36.4/bin/windows/amd64/kubelet.exe", "kubelet"},
		"KUBE_PROXY_SHA256": {"dl/release/v1.36.4/bin/windows/amd64/kube-proxy.exe", "kube-proxy"},
	} {
		m.file(t, d.at, d.text)
		m.file(t, "downloads/"+variable, d.text)
	}
}

// pushLists pushes an image of each name that the lists of the example have.
func pushLists(t *testing.T, m *machine, on []v1.Platform) {
	t.Helper()
	p, err := product.Load(t.Context(), product.Options{Path: "../../examples/rke2/slipway.yaml"})
	must(t, err)
	for _, g := range p.Airgap.Groups {
		for _, i := range g.Listed {
			ref := "index." + i.Text
			if !strings.Contains(ref, "/mirrored-pause:") {
				m.push(t, ref, on, "program")
				continue
			}
			m.push(t, ref, append(slices.Clone(on), windows("10.0.17763.7919"), windows("10.0.20348.4294"),
				windows("10.0.26100.6899")), "pause.exe")
		}
	}
}

func below(dir string, names []string) (paths []string) {
	for _, n := range names {
		paths = append(paths, dir+"/"+n)
	}
	return paths
}

func gzipped(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, n := range files {
		must(t, w.WriteHeader(&tar.Header{Name: n, Mode: 0o755, Size: int64(len(n)), Typeflag: tar.TypeReg}))
		_, err := w.Write([]byte(n))
		must(t, err)
	}
	must(t, w.Close())
	must(t, z.Close())
	return b.String()
}

func zipped(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, n := range files {
		w, err := z.Create(n)
		must(t, err)
		_, err = w.Write([]byte(n))
		must(t, err)
	}
	must(t, z.Close())
	return b.String()
}
