package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/slipway-dev/slipway/render/engines"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/testing/wine"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/store"
)

// TestSMB releases the SMB CSI driver without the registries of its bases and sidecars, and then to
// a registry that has them. Upstream's image for Linux is taken as it is from a registry on
// loopback, which has one of the same shape.
func TestSMB(t *testing.T) {
	p := copied(t, "csi-driver-smb")
	host := registryHost(t)
	t.Run("it needs the digest of upstream's image", func(t *testing.T) {
		said, err := p.run(t.Context(), t, "check")
		if err == nil || !strings.Contains(said, smbLinux+" is not pinned: run slipway pin, which adds its digest") {
			t.Errorf("slipway check: %v\n%s", err, said)
		}
	})
	upstream := pushUpstream(t, host+"/sig-storage/smbplugin:v1.20.1")
	p.replace(t, "slipway.yaml", `"`+smbLinux+`"`, `"`+upstream.reference+`"`)
	l := p.release(t)
	st, err := store.Open(p.store)
	must(t, err)

	t.Run("the images", func(t *testing.T) { smbImages(t, l, st, upstream) })
	t.Run("the names", func(t *testing.T) { upstreamNames(t, l, "slipway.local") })
	t.Run("release.yaml", func(t *testing.T) { manifest(t, p, l) })
	t.Run("the chart", func(t *testing.T) { smbChart(t, p, l) })
	t.Run("released again it has the same bytes", func(t *testing.T) {
		before := p.sums(t)
		p.release(t)
		if d := cmp.Diff(before, p.sums(t)); d != "" {
			t.Errorf("the files changed (-before +after):\n%s", d)
		}
	})
	t.Run("to a registry it needs pinned bases", func(t *testing.T) {
		said, err := p.run(t.Context(), t, "stage", "build", "-registry=localhost:1/smb")
		if err == nil || !strings.Contains(said, "base servercore is not locked for windows/amd64:ltsc2025, ") {
			t.Errorf("slipway build: %v\n%s", err, said)
		}
	})
	t.Run("to a registry", func(t *testing.T) { toRegistry(t, p, host, upstream) })
}

// smbImages checks the image of a snapshot: for Linux it is upstream's, for Windows on stub bases.
func smbImages(t *testing.T, l *lock.Lock, st *store.Store, upstream upstreamImage) {
	var platforms []string
	for _, c := range l.Images[0].Children {
		platforms = append(platforms, c.Platform.String())
		img, err := st.Image(c.Digest)
		must(t, err)
		cf, err := img.ConfigFile()
		must(t, err)
		if cf.OS == platform.Linux {
			upstream.check(t, c)
			continue
		}
		files := filesOf(t, img)
		const program = "/smbplugin.exe"
		if got := machine(files[program]); got != "windows/amd64" || cf.Config.Entrypoint[0] != program {
			t.Errorf("%s: %s is a program for %q, the entrypoint is %v", c.Platform, program, got, cf.Config.Entrypoint)
		}
		if c.OSVersion != cf.OSVersion ||
			cf.Config.Labels["org.opencontainers.image.revision"] != "6bf2d7e775e21483fe80256080bf720c0b3889fc" ||
			cf.Config.Labels[base.StubLabel] == "" {
			t.Errorf("%s: os.version is %q in the lock and %q in the configuration, the labels are %v",
				c.Platform, c.OSVersion, cf.OSVersion, cf.Config.Labels)
		}
		if !strings.Contains(string(files["/Windows/System32/netapi32.dll"]),
			"replaces /Windows/System32/netapi32.dll of mcr.microsoft.com/windows/servercore:ltsc20") {
			t.Errorf("%s: netapi32.dll is %q", c.Platform, files["/Windows/System32/netapi32.dll"])
		}
		if len(c.CopiedFrom) != 1 || !c.CopiedFrom[0].Stub {
			t.Errorf("%s: the lock says that files come from %+v", c.Platform, c.CopiedFrom)
		}
		t.Run("under wine, "+c.Platform.String(), func(t *testing.T) {
			wineVersion(t, files, cf.Config.Entrypoint)
		})
	}
	want := []string{
		"linux/amd64", "linux/arm64", "windows/amd64:10.0.26100.1", "windows/amd64:10.0.20348.1",
		"windows/amd64:10.0.17763.1",
	}
	if d := cmp.Diff(want, platforms); d != "" {
		t.Errorf("the platforms are (-want +got):\n%s", d)
	}
}

// wineVersion runs the driver, which says what it was built from: the entrypoint of an image for
// Windows, on a drive that has the image's files. System files are wine's: what is below Windows in the image replaces
// Microsoft's.
func wineVersion(t *testing.T, files map[string][]byte, entrypoint []string) {
	t.Helper()
	d := wine.New(t)
	for name, content := range files {
		if strings.HasPrefix(name, "/Windows/") {
			continue
		}
		file := filepath.Join(d.Dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, content, 0o755))
		t.Cleanup(func() { must(t, os.Remove(file)) })
	}
	out, err := d.Run(t, nil, "C:"+strings.ReplaceAll(entrypoint[0], "/", `\`), append(entrypoint[1:], "--ver")...)
	for _, want := range []string{
		"Driver Version: v1.20.1", "Git Commit: 6bf2d7e775e21483fe80256080bf720c0b3889fc",
		"Build Date: \"2026-03-12T09:07:07Z\"", "Platform: windows/amd64",
	} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("smbplugin --ver does not say %s: %v\n%s", want, err, out)
		}
	}
}

// manifest checks release.yaml against the lock, and the Windows DaemonSet against what a node
// needs.
func manifest(t *testing.T, p *product, l *lock.Lock) {
	b, err := os.ReadFile(filepath.Join(p.out, "release.yaml"))
	must(t, err)
	if said, err := lint(t, filepath.Join(p.out, "release.yaml")); err != nil ||
		!strings.Contains(said, "nothing found in 3 pods") {
		t.Errorf("slipway lint: %v\n%s", err, said)
	}
	images := regexp.MustCompile(`(?m)^ +image: (.*)$`).FindAllStringSubmatch(string(b), -1)
	if len(images) != 10 {
		t.Errorf("release.yaml names %d images, want 10", len(images))
	}
	for _, i := range images {
		if _, err := name.NewDigest(i[1]); err != nil {
			t.Error(err)
		}
	}
	var windows appsv1.DaemonSet
	for _, doc := range strings.Split(string(b), "\n---\n") {
		if strings.Contains(doc, "name: csi-smb-node-win\n") {
			must(t, yaml.UnmarshalStrict([]byte(doc), &windows))
		}
	}
	spec := windows.Spec.Template.Spec
	taint := corev1.Taint{Key: "os", Value: "windows", Effect: corev1.TaintEffectNoSchedule}
	tolerated := false
	for _, o := range spec.Tolerations {
		tolerated = tolerated || o.Key == taint.Key && o.Value == taint.Value && o.Effect == taint.Effect
	}
	if spec.NodeSelector[corev1.LabelOSStable] != "windows" || spec.OS == nil || spec.OS.Name != corev1.Windows ||
		!tolerated || spec.SecurityContext != nil {
		t.Errorf("the Windows pods select %v, are for %v, tolerate %v and have %v", spec.NodeSelector,
			spec.OS, spec.Tolerations, spec.SecurityContext)
	}
	for _, c := range spec.Containers {
		if c.SecurityContext != nil {
			t.Errorf("container %s of the Windows pods has %v", c.Name, c.SecurityContext)
		}
		if c.Name == "smb" && c.Image != l.Images[0].Reference() {
			t.Errorf("the Windows pods run %s, the lock has %s", c.Image, l.Images[0].Reference())
		}
	}
	if len(spec.Containers) != 3 {
		t.Errorf("the Windows pods have %d containers", len(spec.Containers))
	}
}

// smbChart checks that upstream's chart runs both images of the release by digest, each where it
// belongs: they share a repository, and differ in the tag.
func smbChart(t *testing.T, p *product, l *lock.Lock) {
	t.Helper()
	if len(l.Charts) != 1 || l.Charts[0].Version != "1.20.1" || l.Charts[0].AppVersion != "1.20.1" {
		t.Fatalf("the charts are %+v", l.Charts)
	}
	c, err := chart.Load(chart.Location{Tree: p.out, Path: l.Charts[0].File.Name, Shown: "chart"})
	must(t, err)
	objects, err := c.Render(t.Context(), chart.Options{})
	must(t, err)
	found := map[string]int{}
	for _, o := range objects {
		for _, m := range regexp.MustCompile(
			`image: "slipway.local/sig-storage/smbplugin:(\S+)"`).FindAllStringSubmatch(string(o.Text), -1) {
			found[m[1]]++
		}
	}
	want := map[string]int{
		"v1.20.1@" + l.Images[0].Digest.String():            2,
		"v1.20.1-windows-hp@" + l.Images[1].Digest.String(): 2,
	}
	if d := cmp.Diff(want, found); d != "" {
		t.Errorf("the chart runs (-want +got):\n%s", d)
	}
}

// upstreamNames checks that the images have the names and tags that upstream publishes, which its
// manifests use.
func upstreamNames(t *testing.T, l *lock.Lock, registry string) {
	t.Helper()
	var names []string
	for _, i := range l.Images {
		for _, n := range i.Names() {
			names = append(names, strings.TrimPrefix(n.Reference, registry+"/sig-storage/smbplugin:"))
		}
	}
	if d := cmp.Diff([]string{"v1.20.1", "latest", "v1.20.1-windows-hp", "latest-windows-hp"}, names); d != "" {
		t.Errorf("the names are (-want +got):\n%s", d)
	}
}
