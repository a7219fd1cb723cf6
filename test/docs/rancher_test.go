package docs

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"net/http"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// rancher is what examples/rke2-runtime takes from others: images, and downloads, whose files say
// what they are. The downloads are in the product's directory, too, where a reader has got their
// checksums from.
func rancher(t *testing.T, m *machine) {
	t.Helper()
	m.hosts["dl.k8s.io"] = http.FileServer(http.Dir(filepath.Join(m.dir, "dl")))
	both := []v1.Platform{linux, {OS: "linux", Architecture: "arm64"}}
	for ref, programs := range map[string][]string{
		"hardened-kubernetes:v1.34.2-rke2r1-build20251112": {"kubectl", "kubelet", "kube-apiserver"},
		"hardened-containerd:v2.1.5-k3s1-build20251106":    {"containerd", "containerd-shim-runc-v2", "ctr"},
		"hardened-crictl:v1.34.0-build20251017":            {"crictl"},
		"hardened-runc:v1.3.3-build20251105":               {"runc"},
	} {
		m.push(t, "index.docker.io/rancher/"+ref, both, below("usr/local/bin", programs)...)
	}
	m.push(t, "index.docker.io/rancher/hardened-containerd:v2.1.5-k3s1-build20251106-amd64-windows",
		both[:1], below("usr/local/bin", []string{"containerd.exe", "ctr.exe"})...)
	m.push(t, "index.docker.io/rancher/mirrored-pause:3.6",
		append(both, windows("10.0.17763.2114"), windows("10.0.20348.169"), windows("10.0.26100.1")), "pause.exe")
	for variable, d := range map[string]struct{ at, text string }{
		"CONTAINERD_SHA256": {
			"github/containerd/containerd/releases/download/v2.1.5/containerd-2.1.5-windows-amd64.tar.gz",
			gzipped(t, "bin/containerd.exe", "bin/containerd-shim-runhcs-v1.exe", "bin/ctr.exe"),
		},
		"CRICTL_SHA256": {
			"github/kubernetes-sigs/cri-tools/releases/download/v1.34.0/crictl-v1.34.0-windows-amd64.tar.gz",
			gzipped(t, "crictl.exe"),
		},
		"CALICO_SHA256": {
			"github/projectcalico/calico/releases/download/v3.30.4/calico-windows-v3.30.4.zip",
			zipped(t, "CalicoWindows/calico-node.exe", "CalicoWindows/cni/calico.exe",
				"CalicoWindows/cni/calico-ipam.exe", "CalicoWindows/confd/conf.d/peerings.toml"),
		},
		"KUBELET_SHA256":    {"dl/release/v1.34.2/bin/windows/amd64/kubelet.exe", "kubelet"},
		"KUBE_PROXY_SHA256": {"dl/release/v1.34.2/bin/windows/amd64/kube-proxy.exe", "kube-proxy"},
	} {
		m.file(t, d.at, d.text)
		m.file(t, "downloads/"+variable, d.text)
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
