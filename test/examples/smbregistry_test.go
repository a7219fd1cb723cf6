package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
)

// smbBases puts what replaces the bases of the driver on loopback, and writes into slipway.yaml
// where they are.
func smbBases(t *testing.T, p *product, host string) {
	t.Helper()
	edits := []string{
		"microsoft: hostprocess", "microsoft: hostprocess, repository: " + host + "/hostprocess",
		// The chart names sidecars by other tags, at a registry that cannot be asked here.
		"\ncharts:\n  - {name: csi-driver-smb, source: smb, path: charts/v1.20.1/csi-driver-smb, " +
			"version: \"1.20.1\", appVersion: \"1.20.1\"}\n", "",
	}
	push(t, host+"/hostprocess:v1.0.0", []string{"windows/amd64:10.0.17763.4711"},
		map[string]string{"/hp.txt": "HostProcess"})
	for _, base := range []string{"nanoserver", "servercore"} {
		edits = append(edits, "microsoft: "+base, "microsoft: "+base+", repository: "+host+"/"+base)
		for ltsc, version := range map[string]string{
			"ltsc2019": "10.0.17763.4711", "ltsc2022": "10.0.20348.4711", "ltsc2025": "10.0.26100.4711",
		} {
			files := map[string]string{"/Windows/nano.txt": version}
			if base == "servercore" {
				files = map[string]string{"/Windows/System32/netapi32.dll": "the DLL of " + version}
			}
			push(t, host+"/"+base+":"+ltsc, []string{"windows/amd64:" + version}, files)
		}
	}
	p.replace(t, "slipway.yaml", edits...)
}

// toRegistry releases to a registry on loopback, which has what the release takes from others.
func toRegistry(t *testing.T, p *product, host string, upstream upstreamImage) {
	smbBases(t, p, host)
	if said, err := p.run(t.Context(), t, "pin", "bases"); err != nil {
		t.Fatalf("slipway pin bases: %v\n%s", err, said)
	}
	list, err := os.ReadFile(filepath.Join(p.dir, "images.lock.yaml"))
	must(t, err)
	for _, s := range regexp.MustCompile(`sig-storage/(\S+:\S+)`).FindAllStringSubmatch(string(list), -1) {
		push(t, host+"/sig-storage/"+s[1], []string{
			"linux/amd64", "linux/arm64", "windows/amd64:10.0.17763.1",
			"windows/amd64:10.0.20348.1", "windows/amd64:10.0.26100.1",
		}, map[string]string{"/" + s[1]: "a sidecar"})
	}
	overlay, err := os.ReadFile(filepath.Join(p.dir, "overlays", "images.yaml"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(p.dir, "overlays", "images.yaml"),
		regexp.MustCompile(`: "registry\.k8s\.io/`).ReplaceAll(overlay, []byte(`: "`+host+`/`)), 0o644))

	if said, err := p.run(t.Context(), t, "check", "-registry="+host+"/out"); err == nil ||
		strings.Count(said, " by tag: run slipway pin, which ") != 4 {
		t.Errorf("with the lock of another registry: %v\n%s", err, said)
	}
	tag, _, _ := strings.Cut(upstream.reference, "@")
	p.replace(t, "slipway.yaml", upstream.reference, tag)
	if said, err := p.run(t.Context(), t, "pin", "images"); err != nil {
		t.Fatalf("slipway pin: %v\n%s", err, said)
	}
	p.replace(t, "slipway.yaml", upstream.reference, upstream.reference) // it is there again
	l := p.release(t, "-registry="+host+"/out")
	manifest(t, p, l)
	sidecars(t, p)
	upstreamNames(t, l, host+"/out")
	for _, i := range l.Images {
		for _, n := range i.Names() {
			ref, err := name.NewTag(n.Reference)
			must(t, err)
			d, err := remote.Head(ref)
			must(t, err)
			if d.Digest != n.Desc.Digest {
				t.Errorf("%s is %s, the lock has %s", ref, d.Digest, n.Desc.Digest)
			}
		}
	}
	if l.HasStubs() || len(l.ThirdParty) != 4 {
		t.Errorf("the release has stub bases: %v; %d third-party images", l.HasStubs(), len(l.ThirdParty))
	}
	ref, err := name.NewDigest(l.Images[0].Reference())
	must(t, err)
	idx, err := remote.Index(ref)
	must(t, err)
	manifests, err := idx.IndexManifest()
	must(t, err)
	linux := 0
	for _, d := range manifests.Manifests {
		if h, ok := upstream.manifests[d.Platform.String()]; ok != (d.Platform.OS == platform.Linux) || ok && h != d.Digest {
			t.Errorf("%s is %s in the index that was pushed, %s in upstream's", d.Platform, d.Digest, h)
		} else if ok {
			linux++
		}
	}
	if linux != len(upstream.manifests) {
		t.Errorf("the index that was pushed lists %d of upstream's manifests, want %d", linux, len(upstream.manifests))
	}
	for _, d := range storetest.List(t, idx) {
		published(t, platform.From(d.Platform), filesOf(t, d.Image))
	}
}

// sidecars checks which third-party images the bundles include.
func sidecars(t *testing.T, p *product) {
	t.Helper()
	for bundle, want := range map[string]string{
		"csi-driver-smb-images": "livenessprobe csi-node-driver-registrar " +
			"csi-provisioner csi-resizer",
		"csi-driver-smb-images.linux-amd64": "livenessprobe csi-node-driver-registrar " +
			"csi-provisioner csi-resizer",
		"csi-driver-smb-images.linux-arm64": "livenessprobe csi-node-driver-registrar " +
			"csi-provisioner csi-resizer",
		"csi-driver-smb-images.windows-ltsc2022-amd64": "livenessprobe csi-node-driver-registrar",
	} {
		b, err := os.ReadFile(filepath.Join(p.out, bundle+".txt"))
		must(t, err)
		var got []string
		for _, s := range regexp.MustCompile(`:\d+/sig-storage/([a-z-]+):`).FindAllStringSubmatch(string(b), -1) {
			got = append(got, s[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s has %q, want %q:\n%s", bundle, got, want, b)
		}
	}
}

// published checks the files of an image in the registry.
func published(t *testing.T, p platform.Platform, files map[string][]byte) {
	t.Helper()
	if p.OS == platform.Linux {
		if machine(files["/smbplugin"]) != p.String() || string(files["/usr/sbin/mount.cifs"]) != "mounts" {
			t.Errorf("the image for %s has mount.cifs %q and a program for %s", p, files["/usr/sbin/mount.cifs"],
				machine(files["/smbplugin"]))
		}
		return
	}
	if !strings.HasSuffix(p.OSVersion, ".4711") || string(files["/Windows/System32/netapi32.dll"]) != "the DLL of "+
		p.OSVersion || string(files["/Windows/nano.txt"]) != p.OSVersion {
		t.Errorf("the image for %s has netapi32.dll %q on a base %q", p.OSVersion,
			files["/Windows/System32/netapi32.dll"], files["/Windows/nano.txt"])
	}
}
